import { isVisible } from '@tidings/domain'
import type { ShownCustomField } from '../../api/calls.ts'
import { EditRecordForm } from '../../ui/edit-record-form.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { draftOf, NEW_FIELD } from './draft.ts'
import { FieldInputs } from './field-inputs.tsx'
import { useCreateField, useEditField, useField } from './fields.api.ts'
import styles from './fields.module.css'

type Props = Readonly<{ onClose: () => void }>

export function NewField({ onClose }: Props) {
  const { fields: words } = useWords()
  const creating = useCreateField(onClose)
  return (
    <NewRecordForm
      name={{ label: words.key, help: words.keyHelp, maxLength: 128 }}
      first={NEW_FIELD}
      verb={words.create}
      creating={creating}
      onCreate={({ name: key, ...given }, options) => creating.mutate({ key, ...given }, options)}
      onClose={onClose}
      className={styles.form}
      isReady={({ label }) => isVisible(label)}
    >
      {(draft, change) => <FieldInputs draft={draft} onChange={change} />}
    </NewRecordForm>
  )
}

export function EditField({ id, onClose }: Props & Readonly<{ id: string }>) {
  const { data, error, refetch } = useField(id)
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />
  return <Editing field={data} onClose={onClose} />
}

function Editing({ field, onClose }: Props & Readonly<{ field: ShownCustomField }>) {
  const { fields: words } = useWords()
  const now = (
    <>
      <bdi>{field.label}</bdi>: {words.kinds[field.kind]}{' '}
      <bdi>
        {field.options
          .slice(0, 20)
          .map(({ value }) => value)
          .join(', ')}
      </bdi>
    </>
  )
  const form = { record: field, draftOf, saving: useEditField(field.id, onClose), now, onClose, className: styles.form }
  return (
    <EditRecordForm {...form} isReady={({ label }) => isVisible(label)}>
      {(draft, change) => (
        <>
          <p>
            {words.key}: <bdi>{field.key}</bdi>
          </p>
          <FieldInputs draft={draft} onChange={change} />
        </>
      )}
    </EditRecordForm>
  )
}
