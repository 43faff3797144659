/**
 * SHA-256 for the few hashes of a command. Node’s own module of hashes takes 4 ms to load, and a library in JavaScript
 * is compiled while it runs: either is more than all else that a single write needs for its history.
 */
import { hash } from 'node:crypto';
import { wasm } from './module.ts';

/** As much of it as is used here; Node’s types leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** What sha256.wat makes. */
interface Engine {
  memory: { buffer: ArrayBuffer };
  take(at: number, end: number): void;
}

/** In bytes: a block; where the state stands in memory, and what is hashed, as much of it as there is room for. */
const block = 64;
const state = { at: 512, end: 544 };
const room = { at: 1024, size: 62 * 1024 };

/** Of the text in UTF-8: 32 bytes. */
export function sha256(text: string): Buffer {
  const engine = loaded();
  // An engine that is told to do without.
  if (engine === undefined) return hash('sha256', text, 'buffer');
  const { memory, take, initial } = engine;
  const bytes = Buffer.from(memory.buffer);
  bytes.set(initial, state.at);
  const message = padded(text);
  for (let done = 0; done < message.length; done += room.size) {
    const part = message.subarray(done, done + room.size);
    bytes.set(part, room.at);
    take(room.at, room.at + part.length);
  }
  return Buffer.from(bytes.subarray(state.at, state.end)).swap32();
}

/** A one behind the text, and at the end of the last block how many bits it has. */
function padded(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const message = Buffer.alloc(Math.ceil((length + 9) / block) * block);
  message.write(text);
  message[length] = 0x80;
  message.writeUIntBE(length * 8, message.length - 6, 6);
  return message;
}

let engine: (Engine & { initial: Buffer }) | undefined;
let isMissing = false;

function loaded(): typeof engine {
  if (engine || isMissing) return engine;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(wasm, 'base64')));
    const { memory, take } = exports as Engine;
    engine = { memory, take, initial: Buffer.from(Buffer.from(memory.buffer).subarray(state.at, state.end)) };
  } catch {
    isMissing = true;
  }
  return engine;
}
