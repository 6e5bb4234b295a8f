import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import type { CataloguedEvent, ShownCustomEvent } from '../../api/calls.ts'
import { EditRecordForm } from '../../ui/edit-record-form.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { type Draft, draftOf, NEW_EVENT } from './draft.ts'
import { useDeclaration, useDeclare, useEditDeclaration } from './events.api.ts'
import styles from './events.module.css'

type Props = Readonly<{ onClose: () => void }>

/** `observed`: what reports say already; null for an event that is new. */
export function Declare({ observed, onClose }: Props & Readonly<{ observed: CataloguedEvent | null }>) {
  const { events: words } = useWords()
  const declaring = useDeclare(onClose)
  const first =
    observed === null ? NEW_EVENT : draftOf({ ...observed, propertyNames: observed.properties.map((property) => property.name) })
  return (
    <NewRecordForm
      name={{ label: words.name, help: words.nameHelp, maxLength: 128, value: observed?.name ?? '', isFixed: observed !== null }}
      first={first}
      verb={words.declareVerb}
      creating={declaring}
      onCreate={declaring.mutate}
      onClose={onClose}
      className={styles.form}
      isReady={({ label }) => isVisible(label)}
    >
      {(draft, change) => <Inputs draft={draft} onChange={change} />}
    </NewRecordForm>
  )
}

type InputsProps = Readonly<{ draft: Draft; onChange: (next: Draft) => void }>

function Inputs({ draft, onChange }: InputsProps) {
  const { events: words } = useWords()
  return (
    <>
      <TextInput
        label={words.label}
        description={words.labelHelp}
        dir="auto"
        required
        maxLength={255}
        value={draft.label}
        onChange={(event) => onChange({ ...draft, label: event.currentTarget.value })}
      />
      <Textarea
        label={words.properties}
        description={words.propertiesHelp}
        dir="auto"
        autosize
        minRows={3}
        maxRows={10}
        value={draft.lines}
        onChange={(event) => onChange({ ...draft, lines: event.currentTarget.value })}
      />
    </>
  )
}

export function EditEvent({ id, onClose }: Props & Readonly<{ id: string }>) {
  const { data, error, refetch } = useDeclaration(id)
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />
  return <Editing event={data} onClose={onClose} />
}

function Editing({ event: declared, onClose }: Props & Readonly<{ event: ShownCustomEvent }>) {
  const { events: words } = useWords()
  const now = (
    <>
      <bdi>{declared.label}</bdi> {declared.retired && words.retired} <bdi>{declared.propertyNames.slice(0, 20).join(', ')}</bdi>
    </>
  )
  const form = { record: declared, draftOf, saving: useEditDeclaration(declared.id, onClose), now, onClose, className: styles.form }
  return (
    <EditRecordForm {...form} isReady={({ label }) => isVisible(label)}>
      {(draft, change) => (
        <>
          <p>
            {words.name}: <bdi>{declared.name}</bdi>
          </p>
          <Inputs draft={draft} onChange={change} />
          <Checkbox
            label={words.retire}
            description={words.retireHelp}
            checked={draft.retired}
            onChange={(event) => change({ ...draft, retired: event.currentTarget.checked })}
          />
        </>
      )}
    </EditRecordForm>
  )
}
