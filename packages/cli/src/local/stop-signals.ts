/**
 * What the signals mean to a command that runs other processes: the first one, from a terminal, a service manager or a
 * closed window, asks for an orderly end; the second one means now.
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `first` at the first signal and `second` at the next ones. Returns what puts the signals back to normal.
 * A terminal sends SIGINT to every process of its group, but those started by bound-process.ts are not in it.
 */
export function onStopSignals(
  first: (signal: NodeJS.Signals) => void,
  second: () => void,
): () => void {
  let asked = false;
  function handle(signal: NodeJS.Signals): void {
    if (asked) {
      second();
      return;
    }
    asked = true;
    first(signal);
  }
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
