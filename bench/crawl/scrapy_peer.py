"""Crawls from a list of start pages with Scrapy, following every link, keeping nothing.

scrapy_peer.py SEEDS-FILE REQUESTS-AT-ONCE
"""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess

SEEDS = [line.strip() for line in open(sys.argv[1])]


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = SEEDS

    def parse(self, response):
        yield from response.follow_all(css="a::attr(href)", callback=self.parse)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": int(sys.argv[2]),
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
)
process.crawl(Pages)
process.start()
