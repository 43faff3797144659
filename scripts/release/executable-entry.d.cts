/** What the build shares with the executable. */
import type { Script } from 'node:vm';

export interface Chunk {
  source: string;
  compiled?: Buffer;
}

export interface Loader {
  load(name: string): unknown;
  scripts(): { name: string; script: Script }[];
}

export declare function chunkLoader(read: (name: string) => Chunk): Loader;
export declare function scriptOf(name: string, chunk: Chunk): Script;
