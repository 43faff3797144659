/** Asks one address over and over and prints how many answers came in a second. Runs as a process of its own. */
import { Agent, get } from 'node:http';

const [address = '', token = '', seconds = '3'] = process.argv.slice(2);
const connections = 16;

const agent = new Agent({ keepAlive: true, maxSockets: connections });
const end = performance.now() + Number(seconds) * 1000;
let answers = 0;

await Promise.all(Array.from({ length: connections }, askUntilEnd));
process.stdout.write(String(Math.round(answers / Number(seconds))));

async function askUntilEnd(): Promise<void> {
  while (performance.now() < end) {
    await ask();
    answers++;
  }
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(address, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${address} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}
