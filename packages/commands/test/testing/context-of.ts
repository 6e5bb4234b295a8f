import { asWorkspaceId } from '@tidings/domain'

export const workspaceId = asWorkspaceId('00000000-0000-4000-8000-000000000001')

/** A new id for every command; the same word gives the same id. */
export function contextOf(word: string) {
  return { commandId: `command-${word}`, workspaceId, actor: 'key:1', requestId: word, at: '2026-01-01T00:00:00.000Z' }
}
