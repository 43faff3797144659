/** For the build, which is in TypeScript. */
import type { Script } from 'node:vm';

export interface Chunk {
  /** As `wrapped` makes it. */
  source: string;
  /** As stack traces name it. */
  file: string;
  compiled?: Buffer | undefined;
}

export declare function chunkLoader(read: (name: string) => Chunk): {
  load(name: string): unknown;
  scripts: ReadonlyMap<string, Script>;
};
/** Of a chunk of so many bytes of ASCII, which `fill` puts into a buffer from a place on. */
export declare function wrapped(size: number, fill: (bytes: Buffer, at: number) => void): string;
export declare function scriptOf(chunk: Chunk): Script;
