/** An actor of a schedule: a thread that runs command lines one after another, as processes of its own. */
import type { Ended, Report, Thread } from './baton.ts';
import type { OpenRequest } from './traffic.ts';

/** A command line that has ended, or is still running. */
export interface Command {
  number: number;
  actor: string;
  argv: readonly string[];
  ended?: Ended;
  /** What went wrong in it: fates of its requests, and faults of the disk. */
  faults: string[];
  /** Whether one of its own writes to the disk has failed. */
  hadDiskFault: boolean;
}

/** How often things go wrong: of a hundred requests, of a hundred writes to the disk, and the jumps of the clock. */
export interface Trouble {
  requests: number;
  disk: number;
  jumps: number;
}

/** Something that could happen next. */
export interface Choice {
  /** How likely it is, beside the others. */
  weight: number;
  /** Stands for it in the digest. */
  label: string;
  take(): void;
}

export class Actor {
  readonly name: string;
  readonly thread: Thread;
  /** What its thread said when it gave the baton back. */
  report: Report = { parked: 'over' };
  command: Command | undefined;
  open: OpenRequest[] = [];

  constructor(name: string, thread: Thread) {
    this.name = name;
    this.thread = thread;
  }
}
