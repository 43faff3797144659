/** For the build, which is in TypeScript. */
import type { Script } from 'node:vm';

export interface Chunk {
  /** In ASCII. */
  source: Uint8Array;
  /** As stack traces name it. */
  file: string;
  compiled?: Buffer | undefined;
}

export declare function chunkLoader(read: (name: string) => Chunk): {
  load(name: string): unknown;
  scripts: ReadonlyMap<string, Script>;
};
export declare function scriptOf(chunk: Chunk): Script;
