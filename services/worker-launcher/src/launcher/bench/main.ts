/**
 * The benchmarks of the launcher as a program: `steps` or `sandbox`, with `--samples N` and what each of them takes
 * besides. Prints one JSON object with all raw samples on standard output; on the way it says how far it is.
 */
import { parseArgs } from 'node:util';
import { benchSandbox } from './bench-sandbox.ts';
import { benchSteps } from './bench-steps.ts';

const { values, positionals } = parseArgs({
  options: {
    samples: { type: 'string', default: '20' },
    files: { type: 'string', default: '50000' },
    engine: { type: 'string' },
    image: { type: 'string' },
  },
  allowPositionals: true,
});
const samples = Number(values.samples);
const { engine, image } = values;
const result =
  positionals[0] === 'sandbox'
    ? await benchSandbox({
        samples,
        ...(engine === undefined || image === undefined ? {} : { docker: { engine, image } }),
      })
    : await benchSteps({ samples, files: Number(values.files) });
// Connections that were kept for a next request are not waited for.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
