/** What may come of a task on GitHub. The act stands in the ticket; the publisher does that one and no other. */

export const ACTS = ['pull_request', 'update', 'review', 'comment'] as const;
export type Act = (typeof ACTS)[number];

export const VERBS = ['fix', 'review', 'plan', 'address', 'status', 'cancel', 'help'] as const;
export type Verb = (typeof VERBS)[number];
