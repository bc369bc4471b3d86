/** Counters and gauges of one process, in Prometheus form. Names are `sallyport_*`, units in the name. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  jobs: Counter<'queue' | 'result'>;
  effects: Counter<'effect' | 'result'>;
  stageSeconds: Histogram<'stage'>;
  halted: Gauge;
}

export function createMetrics(process: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  const registers = [registry];
  return {
    registry,
    jobs: new Counter({
      name: 'sallyport_jobs_total',
      help: 'Queue jobs handled',
      labelNames: ['queue', 'result'],
      registers,
    }),
    effects: new Counter({
      name: 'sallyport_effects_total',
      help: 'Effects outside the system',
      labelNames: ['effect', 'result'],
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'sallyport_stage_seconds',
      help: 'Time spent in a stage of a task',
      labelNames: ['stage'],
      registers,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
    }),
    halted: new Gauge({
      name: 'sallyport_halted',
      help: '1 while this process sees a halt of everything',
      registers,
    }),
  };
}
