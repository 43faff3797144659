/** A sandbox to talk to in tests: of its own, its machine's clock standing at a fixed moment, with short ways to ask. */
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Scope } from '../../src/contract/scope.ts';
import { api } from '../../src/resources/index.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/service.ts';
import { home } from '../harness/own-home.ts';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed; undefined where the body is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export const today = '2026-11-20';
export const startOfTests = Date.parse(`${today}T12:00:00Z`);

export class Client {
  readonly sandbox: Sandbox;
  token: string;

  constructor(sandbox: Sandbox, token = sandbox.ownerToken()) {
    this.sandbox = sandbox;
    this.token = token;
  }

  get = (target: string) => this.ask('GET', target);
  post = (target: string, body: unknown = {}) => this.ask('POST', target, JSON.stringify(body));
  put = (target: string, body: unknown = {}) => this.ask('PUT', target, JSON.stringify(body));
  delete = (target: string) => this.ask('DELETE', target);

  ask(method: string, target: string, body: string | Uint8Array = ''): Answer {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = this.sandbox.handle({ method, target, headers, body });
    const { status } = answer;
    return {
      status,
      headers: answer.headers,
      json: answer.body === '' ? undefined : JSON.parse(answer.body),
    };
  }

  /** The same sandbox for somebody with these scopes alone. */
  with(...scopes: Scope[]): Client {
    return new Client(this.sandbox, this.sandbox.mintToken({ scopes }));
  }
}

/** In a copy of a file that is made once for all tests, unless what is asked for is another sandbox. */
export async function openClient(options: Partial<SandboxOptions> = {}): Promise<Client> {
  const { machineClock = () => startOfTests, empty = false } = options;
  const isLikeTemplate = !options.file && !options.api && machineClock() === startOfTests;
  const file = isLikeTemplate ? await newSandboxFile(empty) : ':memory:';
  return new Client(await openSandbox({ api, file, ...options, machineClock }));
}

let copies = 0;

/** Of a sandbox that was new at the start of the tests. It is gone after the file of tests. */
export async function newSandboxFile(isEmpty = false): Promise<string> {
  const template = join(tmpdir(), isEmpty ? 'empty.sqlite' : 'demo.sqlite');
  if (!existsSync(template)) await makeTemplate(template, isEmpty);
  const file = join(home, `sandbox-${++copies}.sqlite`);
  copyFileSync(template, file);
  return file;
}

/** Two processes of tests may do this at once: either is as good. */
async function makeTemplate(template: string, empty: boolean): Promise<void> {
  const own = join(home, basename(template));
  (await openSandbox({ api, file: own, empty, machineClock: () => startOfTests })).close();
  renameSync(own, template);
}
