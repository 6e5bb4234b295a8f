import type { FormEvent, ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'
import { FormButtons } from './form-dialog.tsx'
import { Problem } from './problem.tsx'
import { type Editing, useEdited } from './use-edited.ts'

type Props<Record, Draft> = Editing<Record, Draft> &
  Readonly<{
    /** What the record is by now, in short: shown where somebody else saved it meanwhile. */
    now: ReactNode
    onClose: () => void
    className?: string | undefined
    isReady?: (draft: Draft) => boolean
    children: (draft: Draft, change: (next: Draft) => void) => ReactNode
  }>

/** Changes one record by what `children` ask for. `record` is as it was read last. */
export function EditRecordForm<Record extends Readonly<{ etag: string }>, Draft>(props: Props<Record, Draft>) {
  const { record, draftOf, saving, now, onClose, className, isReady = () => true, children } = props
  const { ui } = useWords()
  const { draft, isSaved, conflict, error, change, save, takeTheirs, keepMine } = useEdited({ record, draftOf, saving })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save()
  }
  return (
    <form onSubmit={submit} className={className}>
      {children(draft, change)}
      {error && <Problem error={error} />}
      {conflict && (
        <ChangedMeanwhile problem={conflict} onTake={takeTheirs} onKeep={keepMine}>
          {now}
        </ChangedMeanwhile>
      )}
      <FormButtons verb={ui.save} pending={saving.isPending} disabled={isSaved || conflict !== null || !isReady(draft)} onClose={onClose} />
    </form>
  )
}
