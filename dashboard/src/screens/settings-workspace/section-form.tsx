import { Alert, Button, Group } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { WorkspaceSettings } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { unlessTyped, useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { type SectionName, useSaveSection, useWorkspace } from './settings-workspace.api.ts'
import styles from './settings-workspace.module.css'

type Props<Name extends SectionName, Draft> = Readonly<{
  name: Name
  settings: WorkspaceSettings
  mayChange: boolean
  draftOf: (record: WorkspaceSettings[Name]) => Draft
  bodyOf: (draft: Draft) => unknown
  /** Why the draft cannot be saved. */
  mistake?: (draft: Draft) => string | null
  children: (draft: Draft, change: (next: Draft) => void) => ReactNode
}>

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** `known` is the state that the form was filled from, whatever is read again meanwhile: a save is judged by that. */
function useSection<Name extends SectionName, Draft>({ name, settings, draftOf, bodyOf }: Props<Name, Draft>) {
  const read = settings[name]
  const [known, setKnown] = useState(read)
  const [draft, setDraft] = useState(() => draftOf(read))
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const saving = useSaveSection(name)
  const isSaved = isSame(draft, draftOf(known))
  useUnsaved(!isSaved)
  const take = (next: WorkspaceSettings[Name]): void => {
    setKnown(next)
    setDraft(draftOf(next))
    renew()
  }
  useEffect(() => {
    if (!isSaved || read.etag === known.etag) return
    setKnown(read)
    setDraft(draftOf(read))
  }, [isSaved, read, known, draftOf])
  const onSuccess = ({ data }: Readonly<{ data: WorkspaceSettings }>): void => {
    setKnown(data[name])
    setDraft(unlessTyped(draft, draftOf(data[name])))
    renew()
  }
  const save = (over: WorkspaceSettings[Name]): void =>
    saving.mutate({ body: bodyOf(draft), etag: over.etag, idempotencyKey }, { onError, onSuccess })
  const change = (next: Draft): void => {
    setDraft(next)
    renew()
    if (saving.isSuccess) saving.reset()
  }
  return { known, draft, saving, isSaved, take, save, change }
}

/** A part of the settings that is saved for itself. */
export function SectionForm<Name extends SectionName, Draft>(props: Props<Name, Draft>) {
  const { name, mayChange, mistake, children } = props
  const { ui, workspace: words } = useWords()
  const { known, draft, saving, isSaved, take, save, change } = useSection(props)
  const { error } = saving
  const conflict = error instanceof ApiProblem && error.code === 'changed_meanwhile' ? error : null
  const why = mistake?.(draft) ?? null
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save(known)
  }
  return (
    <Section title={words.sections[name]}>
      <form onSubmit={submit} className={styles.form}>
        <fieldset disabled={!mayChange} className={styles.fields}>
          {children(draft, change)}
        </fieldset>
        {why !== null && (
          <p role="alert" className={styles.mistake}>
            {why}
          </p>
        )}
        {error && conflict === null && <Problem error={error} />}
        {conflict && (
          <Changed key={saving.submittedAt} name={name} problem={conflict} onTake={take} onKeep={save}>
            {(theirs) => children(props.draftOf(theirs), () => undefined)}
          </Changed>
        )}
        <Group>
          <Button
            type="submit"
            loading={saving.isPending}
            disabled={!mayChange || isSaved || why !== null || conflict !== null}
            aria-label={`${ui.save}: ${words.sections[name]}`}
            {...(!mayChange && { title: words.ownersOnly })}
          >
            {ui.save}
          </Button>
          <span role="status" className={styles.quiet}>
            {saving.isSuccess && isSaved ? (saving.data.isShown ? ui.saved : ui.savedSoon) : ''}
          </span>
        </Group>
      </form>
    </Section>
  )
}

type ChangedProps<Name extends SectionName> = Readonly<{
  name: Name
  problem: ApiProblem
  onTake: (theirs: WorkspaceSettings[Name]) => void
  onKeep: (theirs: WorkspaceSettings[Name]) => void
  children: (theirs: WorkspaceSettings[Name]) => ReactNode
}>

/** Somebody else saved it meanwhile: who and when, what they made of it, and the choice. */
function Changed<Name extends SectionName>({ name, problem: { by, at }, onTake, onKeep, children }: ChangedProps<Name>) {
  const { workspace: words } = useWords()
  const { data, error, refetch } = useWorkspace()
  const [theirs, setTheirs] = useState<WorkspaceSettings[Name] | null>(null)
  useEffect(() => {
    void refetch().then((answer) => answer.data && setTheirs(answer.data[name]))
  }, [refetch, name])
  return (
    <Alert variant="default" role="alert" title={words.meanwhile}>
      {by !== null && (
        <p>
          <bdi dir="ltr">{by}</bdi> · <Time at={at} />
        </p>
      )}
      {error && data === undefined && <Problem error={error} />}
      {theirs && (
        <>
          <fieldset disabled className={styles.fields} aria-label={words.theirs}>
            {children(theirs)}
          </fieldset>
          <Group mt="md">
            <Button variant="default" onClick={() => onTake(theirs)}>
              {words.takeTheirs}
            </Button>
            <Button onClick={() => onKeep(theirs)}>{words.keepMine}</Button>
          </Group>
        </>
      )}
    </Alert>
  )
}
