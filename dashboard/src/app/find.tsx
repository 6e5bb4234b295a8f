import { Modal, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '../paths.ts'
import { Problem } from '../ui/problem.tsx'
import { useWords } from '../words/words.tsx'
import { type FoundThing, find } from './find.api.ts'
import styles from './find.module.css'
import { findKeys } from './find-keys.ts'
import { kindOf } from './find-kind.ts'
import { useSlug } from './session.ts'

type Props = Readonly<{ opened: boolean; onOpen: () => void; onClose: () => void }>

/** `Ctrl K`: a person by address or phone, anything by its id. */
export function Find({ opened, onOpen, onClose }: Props) {
  const { find: words, app } = useWords()
  return (
    <>
      <UnstyledButton className={styles.opener} onClick={onOpen} aria-keyshortcuts="Control+K Meta+K">
        <span className={styles.text}>{words.open}</span>
        <kbd className={styles.keys} dir="ltr">
          {findKeys()}
        </kbd>
      </UnstyledButton>
      <Modal opened={opened} onClose={onClose} title={words.open} closeButtonProps={{ 'aria-label': app.close }} size="lg">
        <Finder onDone={onClose} />
      </Modal>
    </>
  )
}

const optionId = (index: number): string => `found-${index}`

function Finder({ onDone }: Readonly<{ onDone: () => void }>) {
  const { find: words } = useWords()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text, 200)
  const [active, setActive] = useState(0)
  const [isEntered, setEntered] = useState(false)
  const navigate = useNavigate()
  const slug = useSlug()
  const isAsked = kindOf(wanted) !== 'nothing'
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => find(wanted, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const found = isAsked ? (data ?? []) : []
  const chosen = Math.min(active, Math.max(0, found.length - 1))
  const go = ({ kind, id }: FoundThing): void => {
    onDone()
    void navigate(kind === 'profile' ? paths.profile(slug, id) : paths.message(slug, id))
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setActive(Math.min(found.length - 1, Math.max(0, chosen + step)))
    }
    if (event.key === 'Enter') setEntered(true)
  }
  // An answer to what was typed before must not be opened by the Enter after what is typed now: that one waits for its answer.
  const isAnswered = wanted === text && !isFetching
  const one = found[chosen]
  useEffect(() => {
    if (!isEntered || !isAnswered) return
    setEntered(false)
    if (one !== undefined) go(one)
  })
  return (
    <>
      <TextInput
        label={words.label}
        description={words.help}
        value={text}
        data-autofocus
        maxLength={255}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls="found"
        aria-autocomplete="list"
        {...(found.length > 0 && { 'aria-activedescendant': optionId(chosen) })}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
          setEntered(false)
        }}
        onKeyDown={onKey}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <p role="status" className={styles.note}>
        {isAsked && !error && found.length === 0 && (isFetching ? words.searching : words.none)}
      </p>
      <div role="listbox" id="found" aria-label={words.results} tabIndex={-1} hidden={found.length === 0}>
        {found.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys of a combobox.
          <div
            key={`${one.kind} ${one.id}`}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={styles.option}
            onClick={() => go(one)}
          >
            <span className={styles.name}>
              <bdi>{one.text}</bdi>
            </span>
            <span className={styles.more}>
              {one.kind === 'profile' ? words.profile : words.message} · <bdi dir="ltr">{one.more}</bdi>
            </span>
          </div>
        ))}
      </div>
    </>
  )
}
