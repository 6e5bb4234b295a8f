/** What a key opens: every public route, or only what a page may do with it (M63). */
export type ApiKeyKind = 'secret' | 'publishable'

/** Written into the key itself, so that its SHA-256 covers it: no row or event can turn one kind into the other. */
const PREFIXES = { secret: 'sk_evt_', publishable: 'pk_evt_' } as const

export function apiKeyPrefix(kind: ApiKeyKind): string {
  return PREFIXES[kind]
}

/** The kind of a whole key, or of the prefix by which one is shown. */
export function apiKeyKind(keyOrPrefix: string): ApiKeyKind {
  return keyOrPrefix.startsWith(PREFIXES.publishable) ? 'publishable' : 'secret'
}
