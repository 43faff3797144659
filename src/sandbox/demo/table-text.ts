/** Tables written as text, a row to a line with bars between the cells: the easiest form to read and to change. */

export function readTable(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}
