/** Waits until a process reaches a state. Linux shows the state in /proc; other systems wait for a second. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from './until.ts';

const isLinux = existsSync('/proc/self/stat');

/** Waits until the process handles signals. Before that a signal would end it without a message. */
export async function untilListening(pid: number | undefined): Promise<void> {
  if (!isLinux) return sleep(1_000);
  const isCaught = () => {
    const [, caught = '0'] =
      /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    // Checks SIGHUP, which Node does not handle by itself.
    return (BigInt(`0x${caught}`) & 1n) === 1n;
  };
  await until(() => expect(isCaught()).toBe(true));
}

/** Waits until the process handles signals and is idle: no thread is running, and none has used processor time for 20 checks. */
export async function untilWaiting(pid: number | undefined): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await untilListening(pid);
  let before = '';
  for (let asleep = 0; asleep < 20; await sleep(20)) {
    const now = threadsOf(pid);
    const isAsleep = now === before && !/[^S]$/m.test(now.replaceAll(/ .*/g, ''));
    asleep = isAsleep ? asleep + 1 : 0;
    before = now;
  }
}

/** Waits until the process has used this many seconds of processor time. */
export async function untilUsed(pid: number | undefined, seconds: number): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await untilListening(pid);
  await until(() => expect(ticksOf(`/proc/${pid}`)).toBeGreaterThan(seconds * 100));
}

/** Waits until the process handles signals and has opened this file. */
export async function untilOpened(pid: number | undefined, file: string): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await untilListening(pid);
  const folder = `/proc/${pid}/fd`;
  await until(() => expect(readdirSync(folder).map((name) => linkOf(join(folder, name)))).toContain(file));
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
