/** Waits until a process has come so far: how long that takes is the machine's affair. Linux tells; elsewhere a second has to do. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from './until.ts';

const isLinux = existsSync('/proc/self/stat');

/** Until it hears signals itself. Before that one would end it without a word. */
export async function untilListening(pid: number | undefined): Promise<void> {
  if (!isLinux) return sleep(1_000);
  const isCaught = () => {
    const [, caught = '0'] =
      /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    // SIGHUP, which Node leaves alone.
    return (BigInt(`0x${caught}`) & 1n) === 1n;
  };
  await until(() => expect(isCaught()).toBe(true));
}

/** Until it hears signals and does nothing: none of its threads runs or waits for the processor, and none has used it lately. */
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

/** Until it hears signals and has opened this file. */
export async function untilOpened(pid: number | undefined, file: string): Promise<void> {
  if (!isLinux) return sleep(1_000);
  await untilListening(pid);
  const folder = `/proc/${pid}/fd`;
  await until(() => expect(readdirSync(folder).map((name) => linkOf(join(folder, name)))).toContain(file));
}

/** What is closed meanwhile leads nowhere. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** A line for each thread: its state, and how much of the processor it has used. */
function threadsOf(pid: number | undefined): string {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => `${fieldsOf(join(folder, thread))[0]} ${ticksOf(join(folder, thread))}`)
    .join('\n');
}

/** In ticks of the system, of which there are a hundred in a second. */
function ticksOf(folder: string): number {
  const fields = fieldsOf(folder);
  return Number(fields[11]) + Number(fields[12]);
}

/** Behind the name of the program, which may hold anything: the first is the state. */
function fieldsOf(folder: string): string[] {
  return readFileSync(join(folder, 'stat'), 'utf8').split(') ').at(-1)?.split(' ') ?? [];
}
