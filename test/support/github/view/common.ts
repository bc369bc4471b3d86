/** The small pieces that every object of GitHub's API is made of: addresses, node ids, times without milliseconds. */
import type { State } from '../state/state.ts';

export type Json = Record<string, unknown>;

export function apiUrl(state: State): string {
  return `${state.url}/api`;
}

/** `2026-01-31T12:00:00Z`: GitHub's times have whole seconds, so two edits within one second share their time. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function timestampOrNull(date: Date | null): string | null {
  return date === null ? null : timestamp(date);
}

export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

export function reactionsView(url: string): Json {
  return {
    url: `${url}/reactions`,
    total_count: 0,
    '+1': 0,
    '-1': 0,
    laugh: 0,
    hooray: 0,
    confused: 0,
    heart: 0,
    rocket: 0,
    eyes: 0,
  };
}
