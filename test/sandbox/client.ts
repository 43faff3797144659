/** Opens a sandbox for tests, with a fixed clock and short methods for requests. */
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Scope } from '../../src/api/contract/scope.ts';
import { api } from '../../src/api/resources/index.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/service.ts';
import { home } from '../harness/home-folder.ts';

/** A response with its parsed body. */
export interface TestResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined if it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  json: any;
}

/** The day of the fixed clock. */
export const today = '2026-11-20';
/** The time of the fixed clock, in milliseconds since 1970. */
export const startOfTests = Date.parse(`${today}T12:00:00Z`);

/** Sends requests to a sandbox with a token. */
export class Client {
  readonly sandbox: Sandbox;
  token: string;

  constructor(sandbox: Sandbox, token = sandbox.ownerToken()) {
    this.sandbox = sandbox;
    this.token = token;
  }

  get = (target: string) => this.send('GET', target);
  post = (target: string, body: unknown = {}) => this.send('POST', target, JSON.stringify(body));
  put = (target: string, body: unknown = {}) => this.send('PUT', target, JSON.stringify(body));
  delete = (target: string) => this.send('DELETE', target);

  send(method: string, target: string, body: string | Uint8Array = ''): TestResponse {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = this.sandbox.handle({ method, target, headers, body });
    const { status } = response;
    return {
      status,
      headers: response.headers,
      json: response.body === '' ? undefined : JSON.parse(response.body),
    };
  }

  /** Returns a client of the same sandbox with only these scopes. */
  with(...scopes: Scope[]): Client {
    return new Client(this.sandbox, this.sandbox.createToken({ scopes }));
  }
}

/** Opens a sandbox. By default, its file is a copy of a file that is created once for all tests. */
export async function openClient(options: Partial<SandboxOptions> = {}): Promise<Client> {
  const { machineClock = () => startOfTests, empty = false } = options;
  const canUseTemplate = !options.file && !options.api && machineClock() === startOfTests;
  const file = canUseTemplate ? await newSandboxFile(empty) : ':memory:';
  return new Client(await openSandbox({ api, file, ...options, machineClock }));
}

let copyCount = 0;

/** Returns a copy of a new sandbox's file, which is deleted after the test file. */
export async function newSandboxFile(isEmpty = false): Promise<string> {
  const template = join(tmpdir(), isEmpty ? 'empty.sqlite' : 'demo.sqlite');
  if (!existsSync(template)) await createTemplate(template, isEmpty);
  const file = join(home, `sandbox-${++copyCount}.sqlite`);
  copyFileSync(template, file);
  return file;
}

/** Creates the template. Two test processes may do this at the same time; either result can be used. */
async function createTemplate(template: string, empty: boolean): Promise<void> {
  const file = join(home, basename(template));
  (await openSandbox({ api, file, empty, machineClock: () => startOfTests })).close();
  renameSync(file, template);
}
