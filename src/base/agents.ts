/** Detects whether a known coding agent runs boh, by the variables that agents set. */
import type { Environment } from './environment.ts';

const agentVariables = ['AI_AGENT', 'CLAUDECODE', 'CURSOR_AGENT', 'GEMINI_CLI', 'CODEX_SANDBOX', 'OPENCODE'];

/** Returns whether an agent reads the output, which has a budget of tokens. */
export function isRunByAgent(env: Environment): boolean {
  return agentVariables.some((name) => env[name]);
}
