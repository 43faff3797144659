/** Where a single executable begins. */
const { load } = require('./executable-assets.cjs');

const { main, endWith } = load('main.cjs');
main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
  endWith(exitCode);
});
