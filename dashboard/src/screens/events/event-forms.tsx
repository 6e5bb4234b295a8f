import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import type { FormEvent } from 'react'
import type { CataloguedEvent, ShownCustomEvent } from '../../api/calls.ts'
import { ChangedMeanwhile } from '../../ui/changed-meanwhile.tsx'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEdited } from '../../ui/use-edited.ts'
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

/** `event` is the declaration as it was read last. */
function Editing({ event: declared, onClose }: Props & Readonly<{ event: ShownCustomEvent }>) {
  const { ui, events: words } = useWords()
  const saving = useEditDeclaration(declared.id, onClose)
  const { draft, isSaved, conflict, error, change, save, takeTheirs, keepMine } = useEdited({ record: declared, draftOf, saving })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save()
  }
  return (
    <form onSubmit={submit} className={styles.form}>
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
      {error && <Problem error={error} />}
      {conflict && (
        <ChangedMeanwhile problem={conflict} onTake={takeTheirs} onKeep={keepMine}>
          <bdi>{declared.label}</bdi> {declared.retired && words.retired} <bdi>{declared.propertyNames.slice(0, 20).join(', ')}</bdi>
        </ChangedMeanwhile>
      )}
      <FormButtons
        verb={ui.save}
        pending={saving.isPending}
        disabled={isSaved || conflict !== null || !isVisible(draft.label)}
        onClose={onClose}
      />
    </form>
  )
}
