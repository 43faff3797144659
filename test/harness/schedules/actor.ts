/** An actor of a schedule: a thread that runs command lines one after another, each as a simulated process. */
import type { CommandResult, Report, Thread } from './baton.ts';
import type { OpenRequest } from './traffic.ts';

/** A command line that has ended, or is still running. */
export interface Command {
  number: number;
  actor: string;
  argv: readonly string[];
  ended?: CommandResult;
  /** The failures during the command: of its requests and of its disk writes. */
  faults: string[];
  /** Whether a disk write of this command has failed. */
  hadDiskFault: boolean;
}

/** The failure rates in percent of requests and of disk writes, and the number of clock jumps and of interrupted runs. */
export interface FailureRates {
  requests: number;
  disk: number;
  jumps: number;
  interrupts: number;
}

/** An event that could happen next. */
export interface PossibleEvent {
  /** Relative probability. */
  weight: number;
  /** Identifies the event in the digest. */
  label: string;
  take(): void;
}

export class Actor {
  readonly name: string;
  readonly thread: Thread;
  /** The last report of its thread. */
  report: Report = { state: 'over' };
  command: Command | undefined;
  open: OpenRequest[] = [];

  constructor(name: string, thread: Thread) {
    this.name = name;
    this.thread = thread;
  }
}
