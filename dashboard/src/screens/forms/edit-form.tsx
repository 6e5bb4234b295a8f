import { Checkbox } from '@mantine/core'
import type { FormEvent } from 'react'
import type { ShownForm } from '../../api/calls.ts'
import { ChangedMeanwhile } from '../../ui/changed-meanwhile.tsx'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { useWords } from '../../words/words.tsx'
import { draftOf, isComplete } from './draft.ts'
import { FormFields } from './form-fields.tsx'
import { useEditForm } from './forms.api.ts'
import styles from './forms.module.css'

/** `form` is the record as it was read last. */
export function EditForm({ form, onClose }: Readonly<{ form: ShownForm; onClose: () => void }>) {
  const { ui, forms: words } = useWords()
  const saving = useEditForm(form.id, onClose)
  const { draft, isSaved, conflict, error, change, save, takeTheirs, keepMine } = useEdited({ record: form, draftOf, saving })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save()
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <FormFields draft={draft} onChange={change} />
      <Checkbox
        label={words.archive}
        description={words.archiveHelp}
        checked={draft.archived}
        onChange={(event) => change({ ...draft, archived: event.currentTarget.checked })}
      />
      {error && <Problem error={error} />}
      {conflict && (
        <ChangedMeanwhile problem={conflict} onTake={takeTheirs} onKeep={keepMine}>
          <bdi>{form.list.name ?? form.list.id}</bdi> {form.confirms && words.asksShort} {form.archived && words.archived}
        </ChangedMeanwhile>
      )}
      <FormButtons
        verb={ui.save}
        pending={saving.isPending}
        disabled={isSaved || conflict !== null || !isComplete(draft)}
        onClose={onClose}
      />
    </form>
  )
}
