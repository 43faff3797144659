/** Waits until a process waits: how long it takes to start is the machine’s affair. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** It has been asleep for 0.4 seconds, and not only kept from running. Where the system doesn’t tell, after a second. */
export async function untilWaiting(pid: number | undefined): Promise<void> {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync('/proc/self/stat')) {
    await sleep(1_000);
    return;
  }
  for (let asleep = 0; asleep < 20; await sleep(20)) {
    // Behind the name of the program, which may hold anything.
    const state = readFileSync(stat, 'utf8').split(') ').at(-1)?.[0];
    asleep = state === 'S' ? asleep + 1 : 0;
  }
}
