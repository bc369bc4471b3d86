/**
 * The acts for which a token may be minted and the least permissions that each needs: a closed list, so that no code can
 * ask GitHub for more. `metadata: read` is spelled out because GitHub adds it to every token and the reply must equal the
 * request. Nothing here may ever name workflows, administration: write, statuses, checks, actions, secrets or members.
 */

export type TokenPermissions = Readonly<Record<string, 'read' | 'write'>>;

export const TOKEN_ACTS = {
  read_permission: { metadata: 'read' },
  read_subject: { metadata: 'read', issues: 'read' },
  read_head: { metadata: 'read', contents: 'read' },
  read_file: { metadata: 'read', contents: 'read' },
  read_source: { metadata: 'read', contents: 'read' },
  confirm_trigger: { metadata: 'read', issues: 'read' },
  read_protection: { metadata: 'read', contents: 'read' },
  /** As read_protection, where the installation lets us see classic branch protection too. */
  read_all_protection: { metadata: 'read', contents: 'read', administration: 'read' },
  push: { metadata: 'read', contents: 'write' },
  open_pull: { metadata: 'read', pull_requests: 'write' },
  post_comment: { metadata: 'read', issues: 'write' },
} as const satisfies Record<string, TokenPermissions>;
export type TokenAct = keyof typeof TOKEN_ACTS;
