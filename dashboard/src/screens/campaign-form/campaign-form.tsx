import { Alert, Button, Group, NativeSelect, Radio, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { Campaign } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { shownOptions, useLists, useSenders } from '../../ui/choices.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useAfterSave, useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { useAudience, useSave, useSource, useTheirs } from './campaign-form.api.ts'
import styles from './campaign-form.module.css'
import { type Draft, draftOf, emptyDraft, mistakeIn, settingsOf, withChannel } from './draft.ts'
import { TemplateFields } from './template-fields.tsx'

/** A new campaign, one that begins as a copy of another, or one that is changed. */
export function Component() {
  const { campaign: words, campaigns } = useWords()
  const slug = useSlug()
  const { id = null } = useParams()
  const [search] = useSearchParams()
  const source = id ?? search.get('of')
  const { data, error, refetch } = useSource(source)
  const back =
    id === null ? { to: paths.campaigns(slug), text: campaigns.title } : { to: paths.campaign(slug, id), text: data?.name ?? campaigns.one }
  return (
    <Page title={id === null ? campaigns.add : words.editTitle} back={back}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {source !== null && data === undefined && !error && <Loading />}
      {source === null && <Form key="new" edited={null} first={emptyDraft} />}
      {data && (
        <Form key={data.id} edited={id === null ? null : data} first={id === null ? { ...draftOf(data), name: '' } : draftOf(data)} />
      )}
    </Page>
  )
}

type FormProps = Readonly<{ edited: Campaign | null; first: Draft }>

function Form({ edited: read, first: given }: FormProps) {
  const { campaign: words, ui } = useWords()
  const slug = useSlug()
  const [edited, setEdited] = useState(read)
  const [first, setFirst] = useState(given)
  const [draft, setDraft] = useState(first)
  const [isAsked, setAsked] = useState(false)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const { hasStayed, sends, moveOn } = useAfterSave(draft)
  const fillFrom = (saved: Campaign): Draft => {
    const next = draftOf(saved)
    setEdited(saved)
    setFirst(next)
    return next
  }
  const saving = useSave((saved) => {
    // Name and channel are for good once it is made.
    const stay = (): void => {
      fillFrom(saved)
      setDraft((typed) => ({ ...withChannel(typed, saved.channel), name: saved.name }))
    }
    moveOn({ path: paths.campaign(slug, saved.id), replace: edited !== null, stay })
  })
  useUnsaved(draft !== first)
  const change = (next: Draft): void => {
    setDraft(next)
    renew()
  }
  const save = (over: Campaign | null): void => {
    setAsked(true)
    if (mistakeIn(draft) !== null) return
    sends()
    const body = { ...(over === null && { name: draft.name.trim(), channel: draft.channel }), ...settingsOf(draft, over ?? undefined) }
    saving.mutate({ body, idempotencyKey, changed: over }, { onError })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save(edited)
  }
  const takeTheirs = (theirs: Campaign): void => {
    change(fillFrom(theirs))
    saving.reset()
  }
  const isChanged = saving.error instanceof ApiProblem && saving.error.code === 'changed_meanwhile'
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <NameFields draft={draft} onChange={change} isFixed={edited !== null} showsMistakes={isAsked} />
      <AudienceFields draft={draft} onChange={change} />
      <TemplateFields draft={draft} onChange={change} showsMistakes={isAsked} />
      <SenderFields draft={draft} onChange={change} />
      {hasStayed && <p role="status">{ui.savedBefore}</p>}
      {saving.error && !isChanged && <Problem error={saving.error} />}
      {isChanged && edited && (
        <Changed
          key={saving.submittedAt}
          id={edited.id}
          onTake={takeTheirs}
          onKeep={(theirs) => {
            setEdited(theirs)
            save(theirs)
          }}
        />
      )}
      <Group justify="flex-end">
        <Button type="submit" loading={saving.isPending}>
          {edited === null ? words.saveDraft : words.save}
        </Button>
      </Group>
    </form>
  )
}

type Fields = Readonly<{ draft: Draft; onChange: (draft: Draft) => void }>

/** Name and channel are for good: a campaign that is there shows them, and its copy may have others. */
function NameFields({ draft, onChange, isFixed, showsMistakes }: Fields & Readonly<{ isFixed: boolean; showsMistakes: boolean }>) {
  const { campaign: words, campaigns, channels, profiles } = useWords()
  return (
    <>
      <TextInput
        label={campaigns.name}
        description={words.nameHelp}
        value={draft.name}
        maxLength={255}
        required
        disabled={isFixed}
        error={showsMistakes && draft.name.trim() === '' && words.nameNeeded}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      <Radio.Group
        label={profiles.channel}
        value={draft.channel}
        onChange={(value) => onChange(withChannel(draft, value === 'sms' ? 'sms' : 'email'))}
      >
        <Group mt="xs">
          <Radio value="email" label={channels.email} disabled={isFixed} />
          <Radio value="sms" label={channels.sms} disabled={isFixed} />
        </Group>
      </Radio.Group>
    </>
  )
}

function AudienceFields({ draft, onChange }: Fields) {
  const { campaign: words } = useWords()
  const { data: lists = [], error, refetch } = useLists()
  const { data: audience } = useAudience(draft.listId, draft.channel)
  const options = lists.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <div>
      <NativeSelect
        label={words.list}
        value={draft.listId}
        data={[{ value: '', label: words.none }, ...shownOptions(options, draft.listId)]}
        onChange={(event) => onChange({ ...draft, listId: event.currentTarget.value })}
      />
      <p role="status" className={styles.quiet}>
        {draft.listId === ''
          ? words.noList
          : audience === undefined
            ? words.counting
            : words.mayGet(audience.mayGet, audience.members, audience.isEstimate)}
      </p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
    </div>
  )
}

function SenderFields({ draft, onChange }: Fields) {
  const { campaign: words } = useWords()
  const { data: senders, error, refetch } = useSenders(draft.channel)
  return (
    <>
      <NativeSelect
        label={words.from}
        description={senders?.length === 0 ? words.noSender : undefined}
        value={draft.from}
        data={[{ value: '', label: words.none }, ...shownOptions(senders ?? [], draft.from)]}
        onChange={(event) => onChange({ ...draft, from: event.currentTarget.value })}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <Radio.Group
        label={words.quietHours}
        value={draft.quietHours}
        onChange={(value) => onChange({ ...draft, quietHours: value === 'skip' ? 'skip' : 'wait' })}
      >
        <Group mt="xs">
          <Radio value="wait" label={words.quietWait} />
          <Radio value="skip" label={words.quietSkip} />
        </Group>
      </Radio.Group>
    </>
  )
}

type ChangedProps = Readonly<{ id: string; onTake: (theirs: Campaign) => void; onKeep: (theirs: Campaign) => void }>

/** Somebody else saved it meanwhile: who and when, and the choice between theirs and what is typed here. */
function Changed({ id, onTake, onKeep }: ChangedProps) {
  const { campaign: words } = useWords()
  const { data: theirs, error, refetch } = useTheirs(id)
  return (
    <Alert variant="default" role="alert" title={words.changedMeanwhile}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {theirs && (
        <>
          <p>
            <bdi>{theirs.movedBy}</bdi> · <Time at={theirs.movedAt} />
          </p>
          <Group>
            <Button variant="default" onClick={() => onTake(theirs)}>
              {words.takeTheirs}
            </Button>
            <Button variant="default" onClick={() => onKeep(theirs)}>
              {words.keepMine}
            </Button>
          </Group>
        </>
      )}
    </Alert>
  )
}
