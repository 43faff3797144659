/**
 * Asks addresses in turn, over and over, and prints how many answers came. Runs as a process of its own:
 * `load.ts TOKEN SECONDS BODY ADDRESS...`. To an address behind `+` the body is posted, with a number of its own wherever
 * it says NUMBER.
 */
import { Agent, request } from 'node:http';

const [token = '', seconds = '3', body = '', ...addresses] = process.argv.slice(2);
const connections = 16;

const agent = new Agent({ keepAlive: true, maxSockets: connections });
const end = performance.now() + Number(seconds) * 1000;
const first = Date.now();
let requests = 0;
let answers = 0;

await Promise.all(Array.from({ length: connections }, askUntilEnd));
process.stdout.write(String(answers));

async function askUntilEnd(): Promise<void> {
  while (performance.now() < end) {
    const number = requests++;
    const address = addresses[number % addresses.length] ?? '';
    const isPosted = address.startsWith('+');
    await (isPosted
      ? ask(address.slice(1), body.replaceAll('NUMBER', String(first + number)))
      : ask(address));
    answers++;
  }
}

function ask(address: string, text?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
    };
    const method = text === undefined ? 'GET' : 'POST';
    const sent = request(address, { agent, headers, method }, (response) => {
      response.resume();
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${address} answered ${statusCode}`));
      });
    });
    sent.on('error', reject).end(text);
  });
}
