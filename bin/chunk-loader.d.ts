/** Declares the types of the chunk loader for the build scripts. */
import type { Script } from 'node:vm';

/** One chunk of a release. */
export interface Chunk {
  /** The source as `wrap` returns it. */
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
export declare function wrap(size: number, fill: (bytes: Buffer, offset: number) => void): string;
/** Compiles a chunk, or uses its compiled code. */
export declare function scriptOf(chunk: Chunk): Script;
