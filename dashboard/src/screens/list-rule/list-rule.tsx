import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useParams } from 'react-router'
import type { EditedList } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { newRuleDraft, type RuleDraft, readRule, ruleDraftOf } from '../../ui/rule/rule-draft.ts'
import { RuleFields } from '../../ui/rule/rule-fields.tsx'
import { RuleMatches } from '../../ui/rule/rule-matches.tsx'
import { Section } from '../../ui/section.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useAfterSave, useUnsaved } from '../../ui/use-unsaved.ts'
import { useWords } from '../../words/words.tsx'
import { useEditedList, useSaveRule } from './list-rule.api.ts'
import styles from './list-rule.module.css'

/** The rule of a dynamic list, or a new list with its rule. */
export function Component() {
  const { rules: words, lists } = useWords()
  const slug = useSlug()
  const { id } = useParams()
  const { data, error, refetch } = useEditedList(id)
  if (id === undefined) return <Editing key="new" list={null} />
  if (data?.type === 'dynamic') return <Editing key={id} list={data} />
  return (
    <Page title={words.title} back={{ to: paths.list(slug, id), text: lists.back }}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <p>{words.isStatic}</p>}
    </Page>
  )
}

/** `known`: the state that the form was filled from, whatever is read again meanwhile; a save is judged by that. */
function Editing({ list }: Readonly<{ list: EditedList | null }>) {
  const { rules: words, lists, ui } = useWords()
  const slug = useSlug()
  const [known, setKnown] = useState(list)
  const [name, setName] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const [first, setFirst] = useState(() => (known?.rule ? ruleDraftOf(known.rule) : newRuleDraft()))
  const [draft, setDraft] = useState(first)
  const { rule } = readRule(draft)
  const { hasStayed, sends, moveOn } = useAfterSave(draft)
  const saving = useSaveRule((saved) => {
    const stay = (): void => {
      setKnown(saved)
      setName('')
      setFirst(newRuleDraft())
    }
    moveOn({ path: paths.list(slug, saved.id), replace: false, stay })
  })
  useUnsaved(name !== '' || draft !== first)
  const change = (next: RuleDraft): void => {
    setDraft(next)
    renew()
  }
  const isReady = rule !== null && (known !== null || name.trim() !== '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    sends()
    if (rule !== null && isReady) saving.mutate({ name: name.trim(), rule, known, idempotencyKey }, { onError })
  }
  return (
    <Page
      title={known === null ? words.newTitle : words.ruleOf(known.name)}
      back={known === null ? { to: paths.lists(slug), text: lists.back } : { to: paths.list(slug, known.id), text: known.name }}
    >
      <form className={styles.form} onSubmit={submit}>
        {known === null && (
          <TextInput
            label={lists.name}
            description={words.nameHelp}
            dir="auto"
            maxLength={255}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              renew()
            }}
          />
        )}
        <RuleFields draft={draft} onChange={change} />
        <Section title={words.matches}>
          <RuleMatches rule={rule} />
        </Section>
        {hasStayed && <p role="status">{ui.savedBefore}</p>}
        {saving.error && <Problem error={saving.error} />}
        <div>
          <Button type="submit" loading={saving.isPending} disabled={!isReady} title={isReady ? '' : words.notYet}>
            {known === null ? words.create : words.save}
          </Button>
        </div>
      </form>
    </Page>
  )
}
