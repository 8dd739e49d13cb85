/** The program under test: a made web, a library crawled from it, and the server. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { front, type Front } from './front';

const PROGRAM = process.env.BOWERBIRD ?? join(import.meta.dirname, '../../target/debug/bowerbird');
const run = promisify(execFile);

/** Starts the program and waits for the line of JSON that says it is ready. */
async function start(args: string[], env: Record<string, string> = {}): Promise<{ child: ChildProcess; line: Record<string, unknown> }> {
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-4000)));
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((found, fail) => {
    lines.once('line', found);
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`${PROGRAM} ${args.join(' ')} ended with ${code}: ${said}`)));
  });
  child.stdout.resume();
  return { child, line: JSON.parse(line) as Record<string, unknown> };
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

export class LabWeb {
  private constructor(
    private readonly child: ChildProcess,
    readonly seeds: string[],
    readonly resolve: string,
    readonly ca: string,
    private readonly folder: string,
  ) {}

  static async start(): Promise<LabWeb> {
    const folder = await mkdtemp(join(tmpdir(), 'bowerbird-lab-'));
    const ca = join(folder, 'ca.pem');
    const { child, line } = await start(['lab', 'web', '--listen', '127.0.0.1:0', '--ca-out', ca]);
    return new LabWeb(child, line.seeds as string[], line.resolve as string, ca, folder);
  }

  async stop() {
    await end(this.child);
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface Options {
  /** Pages of the made web that its library is crawled from. */
  pages?: number;
  /** More names that are reached at addresses of this machine. */
  resolve?: string[];
  env?: Record<string, string>;
}

export class Server {
  private constructor(
    private child: ChildProcess,
    private readonly args: string[],
    private readonly env: Record<string, string>,
    readonly data: string,
    /** Where the page is. */
    readonly url: string,
    private readonly api: string,
    private readonly page: Front | null,
  ) {}

  static async start(lab: LabWeb, options: Options = {}): Promise<Server> {
    const data = await mkdtemp(join(tmpdir(), 'bowerbird-ui-'));
    const reach = [lab.resolve, ...(options.resolve ?? [])].flatMap((one) => ['--resolve', one]).concat('--ca', lab.ca);
    if (options.pages) {
      const limits = ['--max-pages', String(options.pages), '--delay', '0', '--name', 'lab', '--kind', 'image,video,audio', '--granularity', 'place'];
      await run(PROGRAM, ['crawl', ...lab.seeds, '--data', data, ...limits, ...reach], { timeout: 120_000 });
    }
    const args = ['serve', '--json', '--data', data, ...reach];
    const { child, line } = await start([...args, '--listen', '127.0.0.1:0'], options.env);
    const api = String(line.listening);
    // A program that was built before its page gets the page from `dist`.
    const page = await front(api);
    return new Server(child, args, options.env ?? {}, data, page?.url ?? api, api, page);
  }

  async kill() {
    const gone = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await gone;
  }

  /** Comes back where it was. */
  async again() {
    const { child } = await start([...this.args, '--listen', new URL(this.api).host], this.env);
    this.child = child;
  }

  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.api}/api/v1${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as T;
  }

  async post(path: string, body: unknown) {
    const answer = await fetch(`${this.api}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }

  async stop() {
    await this.page?.stop();
    await end(this.child);
    await rm(this.data, { recursive: true, force: true });
  }
}
