/** What every command is handed: the streams, the global flags, and settings and client once they are needed. */
import type { Environment } from '../settings/layers.ts';
import type { Settings } from '../settings/settings.ts';
import type { Streams } from '../terminal/streams.ts';
import type { Globals } from './globals.ts';
import type { ScopedClient } from './guards/within-scopes.ts';

export interface Context {
  streams: Streams;
  env: Environment;
  globals: Globals;
  /** Aborted when the person or the system interrupts. */
  signal: AbortSignal;
  now(): Date;
  /** What the process ends with where the command has done its work: 0, unless it passes on another program's. */
  exitCode: number;
  /** Read on first use: help and version need no configuration. */
  settings(): Promise<Settings>;
  /** Over the network, or to the embedded sandbox where that is chosen. */
  client(): Promise<ScopedClient>;
  /**
   * The same for other settings than those in effect: signing in tries a token before it is kept. What is not done
   * when `until` aborts is given up.
   */
  connect(settings: Settings, until?: AbortSignal): Promise<ScopedClient>;
}
