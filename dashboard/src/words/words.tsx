import { useDirection } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { en, type Words } from './en.ts'
import { he } from './he.ts'
import { kept, type Language, languageFor } from './language.ts'

const WORDS: Readonly<Record<Language, Words>> = { en, he }

type Spoken = Readonly<{ language: Language; words: Words; choose: (language: Language) => void }>

const Context = createContext<Spoken>({ language: 'en', words: en, choose: () => undefined })

/** The language that was chosen here, else that of the browser; its direction is that of the page. */
export function WordsProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [language, setLanguage] = useState<Language>(() => languageFor(kept.read(), navigator.languages))
  const { setDirection } = useDirection()
  const words = WORDS[language]
  useEffect(() => {
    document.documentElement.lang = language
    setDirection(words.direction)
  }, [language, words.direction, setDirection])
  const spoken = useMemo(
    () => ({
      language,
      words,
      choose: (next: Language) => {
        kept.write(next)
        setLanguage(next)
      },
    }),
    [language, words],
  )
  return <Context.Provider value={spoken}>{children}</Context.Provider>
}

export function useSpoken(): Spoken {
  return useContext(Context)
}

export function useWords(): Words {
  return useContext(Context).words
}
