import { useState } from 'react'
import { ApiProblem } from '../api/client.ts'
import { useSubmitKey } from './use-submit-key.ts'
import { useUnsaved } from './use-unsaved.ts'

export type Saving<Draft> = Readonly<{ draft: Draft; etag: string; idempotencyKey: string }>
type Mutation<Draft> = Readonly<{
  error: Error | null
  isPending: boolean
  mutate: (given: Saving<Draft>, options: Readonly<{ onError: (error: Error) => void }>) => void
  reset: () => void
}>
export type Editing<Record, Draft> = Readonly<{ record: Record; draftOf: (record: Record) => Draft; saving: Mutation<Draft> }>

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A form over one record: a save is judged by the state that the form was filled from, whatever is read again meanwhile (M74). */
export function useEdited<Record extends Readonly<{ etag: string }>, Draft>({ record, draftOf, saving }: Editing<Record, Draft>) {
  const [known, setKnown] = useState(record)
  const [draft, setDraft] = useState(() => draftOf(record))
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const isSaved = isSame(draft, draftOf(known))
  useUnsaved(!isSaved)
  const { error } = saving
  const conflict = error instanceof ApiProblem && error.code === 'changed_meanwhile' ? error : null
  const saveOver = ({ etag }: Record): void => saving.mutate({ draft, etag, idempotencyKey }, { onError })
  return {
    draft,
    isSaved,
    conflict,
    error: conflict === null ? error : null,
    change: (next: Draft): void => {
      setDraft(next)
      renew()
    },
    save: (): void => saveOver(known),
    /** Throws away what was typed, for what the record is by now. */
    takeTheirs: (): void => {
      setKnown(record)
      setDraft(draftOf(record))
      renew()
      saving.reset()
    },
    keepMine: (): void => {
      setKnown(record)
      saveOver(record)
    },
  }
}
