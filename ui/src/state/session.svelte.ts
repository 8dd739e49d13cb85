/** Who is looking, and what they may do. */
import { get, remove } from '../api/client';
import type { Session } from '../api/types';

class Who {
  session = $state<Session | null>(null);

  get mayChange(): boolean {
    return this.session?.role === 'admin';
  }

  get mayRead(): boolean {
    return this.session !== null && this.session.role !== 'none';
  }

  async load() {
    this.session = await get<Session>('/session');
  }

  async leave() {
    await remove('/session');
    await this.load();
  }
}

export const who = new Who();
