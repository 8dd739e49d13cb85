/** The crawls at work, for the header; and whether there is anything in the library at all. */
import { listen } from '../api/live';
import type { Crawl } from '../api/types';

class CrawlsNow {
  all = $state.raw<Crawl[]>([]);
  known = $state(false);
  running = $derived(this.all.filter((crawl) => crawl.state === 'running' || crawl.state === 'stopping'));

  follow(): () => void {
    const heard = (data: { crawls?: Crawl[] }) => {
      if (!Array.isArray(data.crawls)) return;
      this.all = data.crawls;
      this.known = true;
    };
    return listen('/events', { crawls: heard as never, message: heard as never });
  }
}

export const crawlsNow = new CrawlsNow();
