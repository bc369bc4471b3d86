/** Which nodes of a team write. One rule in one place: a restriction of the team, the node or its agent is enough. */

/** Whether a step of this node may change the tree, before the task adds its own restriction. */
export function nodeWrites(
  team: { readOnly: boolean },
  node: { readOnly: boolean; agent?: { readOnly?: boolean | undefined } },
): boolean {
  return !team.readOnly && !node.readOnly && node.agent?.readOnly !== true;
}
