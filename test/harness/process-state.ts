/** Waits until a process reaches a state. Linux reports the state in /proc; on other systems, the functions wait for a second. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { waitUntil } from './wait-until.ts';

const isLinux = existsSync('/proc/self/stat');

/** Waits until the process handles signals. Before that a signal would end it without a message. */
export async function waitUntilListening(pid: number | undefined): Promise<void> {
  if (!isLinux) return sleep(1_000);
  const isCaught = () => {
    const [, caughtSignals = '0'] =
      /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    // Checks SIGHUP, which Node does not handle by itself.
    return (BigInt(`0x${caughtSignals}`) & 1n) === 1n;
  };
  await waitUntil(() => expect(isCaught()).toBe(true));
}

/** Waits until the process handles signals and is idle: no thread is running, and none has used processor time for 20 checks. */
export async function waitUntilIdle(pid: number | undefined): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await waitUntilListening(pid);
  let previousThreads = '';
  for (let idleChecks = 0; idleChecks < 20; await sleep(20)) {
    const currentThreads = threadsOf(pid);
    const isIdle =
      currentThreads === previousThreads && !/[^S]$/m.test(currentThreads.replaceAll(/ .*/g, ''));
    idleChecks = isIdle ? idleChecks + 1 : 0;
    previousThreads = currentThreads;
  }
}

/** Waits until the process has used this many seconds of processor time. */
export async function waitUntilUsed(pid: number | undefined, seconds: number): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await waitUntilListening(pid);
  await waitUntil(() => expect(ticksOf(`/proc/${pid}`)).toBeGreaterThan(seconds * 100));
}

/** Waits until the process handles signals and has opened this file. */
export async function waitUntilOpened(pid: number | undefined, file: string): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await waitUntilListening(pid);
  const folder = `/proc/${pid}/fd`;
  await waitUntil(() =>
    expect(readdirSync(folder).map((name) => linkOf(join(folder, name)))).toContain(file),
  );
}

/** Returns the target of a link, or an empty string if the descriptor was closed in the meantime. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Returns a line for each thread with its state and the processor time it has used. */
function threadsOf(pid: number | undefined): string {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => `${fieldsOf(join(folder, thread))[0]} ${ticksOf(join(folder, thread))}`)
    .join('\n');
}

/** Returns the processor time in ticks of 10 ms. */
function ticksOf(folder: string): number {
  const fields = fieldsOf(folder);
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the fields after the program name, which may contain any character. The first is the state. */
function fieldsOf(folder: string): string[] {
  return readFileSync(join(folder, 'stat'), 'utf8').split(') ').at(-1)?.split(' ') ?? [];
}
