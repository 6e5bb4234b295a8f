import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Page } from '../../ui/page.tsx'
import { useWords } from '../../words/words.tsx'
import type { Chosen } from './check-chosen.ts'
import { FileDrop } from './file-drop.tsx'
import { fingerprintOf } from './fingerprint.ts'
import { useChecker } from './use-checker.ts'
import { Verdict } from './verdict.tsx'
import styles from './verify.module.css'

/** Checks a proof here: no session is needed, and nothing is sent. A verdict is of what is chosen now, and goes when that changes. */
export function Component() {
  const { verify: words } = useWords()
  const [chosen, setChosen] = useState<readonly Chosen[]>([])
  const [anchor, setAnchor] = useState<readonly Chosen[]>([])
  const [typed, setTyped] = useState('')
  const { state, check, forget } = useChecker()
  const trusted = fingerprintOf(typed)
  const setAnd =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      set(value)
      forget()
    }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (trusted !== undefined && chosen.length > 0) check({ chosen, trusted, anchor })
  }
  return (
    <main className={styles.main} id="content">
      <Page title={words.title}>
        <p className={styles.help}>{words.help}</p>
        <form onSubmit={submit} className={styles.form}>
          <FileDrop
            label={words.proof}
            help={words.proofHelp}
            chosen={chosen}
            onChosen={setAnd(setChosen)}
            buttons={[{ text: words.chooseFolder, isFolder: true }, { text: words.chooseZip }]}
          />
          <TextInput
            label={words.fingerprint}
            description={words.fingerprintHelp}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            maxLength={1_000}
            value={typed}
            error={trusted === undefined && words.fingerprintWrong}
            onChange={(event) => setAnd(setTyped)(event.currentTarget.value)}
          />
          <FileDrop
            label={words.anchor}
            help={words.anchorHelp}
            chosen={anchor}
            onChosen={setAnd(setAnchor)}
            buttons={[{ text: words.chooseAnchor }]}
          />
          <div className={styles.buttons}>
            <Button type="submit" disabled={chosen.length === 0 || trusted === undefined} loading={state === 'checking'}>
              {words.check}
            </Button>
            {chosen.length === 0 && <span className={styles.help}>{words.chooseFirst}</span>}
            {state === 'checking' && (
              <span role="status" className={styles.help}>
                {words.checking}
              </span>
            )}
          </div>
        </form>
        {typeof state === 'object' && <Verdict verdict={state} />}
      </Page>
    </main>
  )
}
