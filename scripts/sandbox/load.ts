/**
 * Sends requests to URLs in turn for some seconds, and prints the number of responses. Runs as a separate process:
 * `load.ts TOKEN SECONDS BODY URL...`. A URL after `+` gets a POST with the body, in which a unique number replaces
 * NUMBER.
 */
import { Agent, request } from 'node:http';

const [token = '', seconds = '3', body = '', ...urls] = process.argv.slice(2);
const connections = 16;

const agent = new Agent({ keepAlive: true, maxSockets: connections });
const endMs = performance.now() + Number(seconds) * 1000;
const firstNumber = Date.now();
let requestCount = 0;
let responseCount = 0;

await Promise.all(Array.from({ length: connections }, sendUntilEnd));
process.stdout.write(String(responseCount));

async function sendUntilEnd(): Promise<void> {
  while (performance.now() < endMs) {
    const index = requestCount++;
    const url = urls[index % urls.length] ?? '';
    const isPost = url.startsWith('+');
    await (isPost ? send(url.slice(1), body.replaceAll('NUMBER', String(firstNumber + index))) : send(url));
    responseCount++;
  }
}

function send(url: string, text?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
    };
    const method = text === undefined ? 'GET' : 'POST';
    const clientRequest = request(url, { agent, headers, method }, (response) => {
      response.resume();
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${url} returned ${statusCode}`));
      });
    });
    clientRequest.on('error', reject).end(text);
  });
}
