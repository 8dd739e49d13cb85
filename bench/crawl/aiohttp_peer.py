"""Crawls from a list of start pages with aiohttp and lxml: a tree of each page, every link followed.

aiohttp_peer.py SEEDS-FILE REQUESTS-AT-ONCE
"""

import asyncio
import sys
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
import lxml.html


async def work(session, queue, known):
    while True:
        url = await queue.get()
        try:
            async with session.get(url) as response:
                body = await response.read()
            if response.status == 200 and response.content_type == "text/html":
                for href in lxml.html.fromstring(body).xpath("//a/@href"):
                    link = urldefrag(urljoin(url, href)).url
                    # The only rule in the robots.txt of these hosts.
                    if link not in known and not urlsplit(link).path.startswith("/media/"):
                        known.add(link)
                        queue.put_nowait(link)
        except (aiohttp.ClientError, ValueError, lxml.etree.LxmlError) as error:
            print(f"{url}: {error}")
        queue.task_done()


async def main(seeds, at_once):
    queue = asyncio.Queue()
    known = set(seeds)
    for seed in seeds:
        queue.put_nowait(seed)
    connector = aiohttp.TCPConnector(limit=at_once)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        workers = [asyncio.create_task(work(session, queue, known)) for _ in range(at_once)]
        await queue.join()
        for worker in workers:
            worker.cancel()


asyncio.run(main([line.strip() for line in open(sys.argv[1])], int(sys.argv[2])))
