/** Types of the chunk loader, for the build, which is in TypeScript. */
import type { Script } from 'node:vm';

/** One chunk of a release. */
export interface Chunk {
  /** The source as `wrapped` returns it. */
  source: string;
  /** The name of the file in stack traces. */
  file: string;
  compiled?: Buffer | undefined;
}

/** Returns a loader of chunks, which `read` returns by name, and the scripts that it has loaded. */
export declare function chunkLoader(read: (name: string) => Chunk): {
  load(name: string): unknown;
  scripts: ReadonlyMap<string, Script>;
};
/** Returns the source of a chunk of `size` bytes of ASCII as a function; `fill` writes the bytes to a buffer at an offset. */
export declare function wrapped(size: number, fill: (bytes: Buffer, at: number) => void): string;
/** Compiles a chunk, or uses its compiled code. */
export declare function scriptOf(chunk: Chunk): Script;
