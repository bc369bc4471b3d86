/** What a collector is told about the paths that steer agents, and what it answers about them. */
import { requireOid } from '@sallyport/git/oid';
import {
  AGENT_CONFIGURATION_AT_TOP,
  AGENT_CONFIGURATION_PATTERN,
} from '@sallyport/teams/readonly/agent-configuration';
import { z } from 'zod';

/** Paths that a step is shown as the base commit has them although the tree that it is given has them otherwise. */
export interface Withheld {
  withheldCount: number;
  /** The first of them, for people. */
  withheld: string[];
}

export const WithheldShape = {
  withheldCount: z.int().min(0),
  withheld: z.array(z.string()),
} as const;

/** `from`: the commit that has the last word on such paths; when the store lacks it they are all left out. */
export function configurationParams(from: string): Record<string, unknown> {
  return {
    from: requireOid(from, 'the commit with the configuration of agents'),
    pattern: AGENT_CONFIGURATION_PATTERN,
    atTop: AGENT_CONFIGURATION_AT_TOP,
  };
}
