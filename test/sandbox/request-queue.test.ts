/** Tests that many connections are served evenly, in the order of their arrival, and that new ones are accepted in between. */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestQueue } from '../../src/sandbox/server/api.ts';

/**
 * The time of a simulated clock in milliseconds. Only `block` advances it, so that the load of the machine has no effect.
 */
let now = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
function block(milliseconds: number): void {
  now += milliseconds;
}

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('RequestQueue', () => {
  it('runs work immediately if no work is waiting', () => {
    let isDone = false;
    void new RequestQueue().run(async () => {
      isDone = true;
    });
    expect(isDone).toBe(true);
  });

  it('runs work in order, and lets the event loop run in between', async () => {
    const queue = new RequestQueue();
    const names = Array.from({ length: 30 }, (_, index) => `work ${index}`);
    const completedWork: string[] = [];
    let turns = 0;
    const countTurn = () => {
      turns += 1;
      if (completedWork.length < names.length) setImmediate(countTurn);
    };
    const work = (name: string) =>
      queue.run(async () => {
        block(1.5);
        completedWork.push(name);
        return name;
      });
    setImmediate(countTurn);
    expect(await Promise.all(names.map(work))).toEqual(names);
    expect(completedWork).toEqual(names);
    expect(turns).toBeGreaterThan(10);
  });

  it('passes errors to the caller', async () => {
    const queue = new RequestQueue();
    const fail = () => queue.run(async () => block(5)).then(() => Promise.reject(new Error('wrong')));
    await expect(Promise.all([fail(), fail()])).rejects.toThrow('wrong');
    const failing = queue.run(() => Promise.reject(new Error('at once')));
    await expect(failing).rejects.toThrow('at once');
    await expect(queue.run(async () => 7)).resolves.toBe(7);
  });

  it('accepts new connections while it is busy', async () => {
    const queue = new RequestQueue();
    const server = createServer((_, response) => {
      void queue.run(async () => {
        block(2);
        response.end('x');
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const responseCounts = new Map<number, number>();
    let isFinished = false;
    const sendRequest = (agent: Agent) =>
      new Promise<void>((resolve) => {
        request({ agent, port, host: '127.0.0.1' }, (response) => response.resume().on('end', resolve))
          .on('error', () => resolve())
          .end();
      });
    const connections = Array.from({ length: 60 }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (; !isFinished; responseCounts.set(index, (responseCounts.get(index) ?? 0) + 1)) {
        await sendRequest(agent);
        // When every connection has four responses, no connection should have many more.
        if (responseCounts.size === 60 && Math.min(...responseCounts.values()) >= 4) isFinished = true;
      }
      agent.destroy();
    });
    await Promise.all(connections);
    expect(Math.max(...responseCounts.values())).toBeLessThanOrEqual(12);
  });
});
