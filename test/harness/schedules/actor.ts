/** An actor of a schedule: a thread that runs command lines one after another, as processes of its own. */
import type { Ended, Report, Thread } from './baton.ts';
import type { OpenRequest } from './traffic.ts';

/** A command line that has ended, or is still running. */
export interface Command {
  number: number;
  actor: string;
  argv: readonly string[];
  ended?: Ended;
  /** Failures during the command: fates of its requests, and faults of the disk. */
  faults: string[];
  /** Whether one of its own disk writes has failed. */
  hadDiskFault: boolean;
}

/** Failure rates: of a hundred requests, of a hundred disk writes, and whether the clock jumps. */
export interface Trouble {
  requests: number;
  disk: number;
  jumps: number;
}

/** Something that could happen next. */
export interface Choice {
  /** Relative probability. */
  weight: number;
  /** Identifies the choice in the digest. */
  label: string;
  take(): void;
}

export class Actor {
  readonly name: string;
  readonly thread: Thread;
  /** The report of its thread when it returned the baton. */
  report: Report = { parked: 'over' };
  command: Command | undefined;
  open: OpenRequest[] = [];

  constructor(name: string, thread: Thread) {
    this.name = name;
    this.thread = thread;
  }
}
