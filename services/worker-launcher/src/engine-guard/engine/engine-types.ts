/** What the guard reads of an engine's answers; everything else in them is left there. */
import { z } from 'zod';

export const ContainerSchema = z.object({
  Id: z.string(),
  Name: z.string(),
  State: z.object({
    Status: z.string(),
    Running: z.boolean(),
    Paused: z.boolean(),
    OOMKilled: z.boolean(),
    ExitCode: z.int(),
    Error: z.string().default(''),
    StartedAt: z.string(),
    FinishedAt: z.string(),
  }),
  Config: z.object({ Labels: z.record(z.string(), z.string()).nullable() }),
});
export type InspectedContainer = z.infer<typeof ContainerSchema>;

export const ContainerListSchema = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()).nullable(),
    Labels: z.record(z.string(), z.string()).nullable(),
    State: z.string(),
    Status: z.string(),
    Created: z.number(),
  }),
);
export type ListedContainer = z.infer<typeof ContainerListSchema>[number];

export const VolumeListSchema = z.object({
  Volumes: z
    .array(z.object({ Name: z.string(), Labels: z.record(z.string(), z.string()).nullable() }))
    .nullable(),
});

export const NetworkListSchema = z.array(
  z.object({ Id: z.string(), Labels: z.record(z.string(), z.string()).nullish() }),
);

export const CreatedSchema = z.object({
  Id: z.string(),
  Warnings: z.array(z.string()).nullish(),
});

export const ImageSchema = z.object({
  Id: z.string(),
  Config: z.object({ Volumes: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

export const StatsSchema = z.object({
  memory_stats: z.object({ usage: z.number().optional(), max_usage: z.number().optional() }),
  pids_stats: z.object({ current: z.number().optional() }),
});

export const InfoSchema = z.object({
  ServerVersion: z.string(),
  Driver: z.string(),
  NCPU: z.number(),
  DockerRootDir: z.string(),
  MemoryLimit: z.boolean(),
  SwapLimit: z.boolean(),
  PidsLimit: z.boolean(),
  CpuCfsQuota: z.boolean(),
  SecurityOptions: z.array(z.string()).nullable(),
  Runtimes: z.record(z.string(), z.unknown()).nullable(),
});
export type EngineInfo = z.infer<typeof InfoSchema>;

export const VersionSchema = z.object({
  ApiVersion: z.string(),
  MinAPIVersion: z.string(),
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
});
export type EngineVersion = z.infer<typeof VersionSchema>;
