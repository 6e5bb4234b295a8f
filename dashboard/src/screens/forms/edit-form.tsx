import { Checkbox } from '@mantine/core'
import type { ShownForm } from '../../api/calls.ts'
import { EditRecordForm } from '../../ui/edit-record-form.tsx'
import { useWords } from '../../words/words.tsx'
import { draftOf, isComplete } from './draft.ts'
import { FormFields } from './form-fields.tsx'
import { useEditForm } from './forms.api.ts'
import styles from './forms.module.css'

export function EditForm({ form, onClose }: Readonly<{ form: ShownForm; onClose: () => void }>) {
  const { forms: words } = useWords()
  const now = (
    <>
      <bdi>{form.list.name ?? form.list.id}</bdi> {form.confirms && words.asksShort} {form.archived && words.archived}
    </>
  )
  const edited = { record: form, draftOf, saving: useEditForm(form.id, onClose), now, onClose, className: styles.form }
  return (
    <EditRecordForm {...edited} isReady={isComplete}>
      {(draft, change) => (
        <>
          <FormFields draft={draft} onChange={change} />
          <Checkbox
            label={words.archive}
            description={words.archiveHelp}
            checked={draft.archived}
            onChange={(event) => change({ ...draft, archived: event.currentTarget.checked })}
          />
        </>
      )}
    </EditRecordForm>
  )
}
