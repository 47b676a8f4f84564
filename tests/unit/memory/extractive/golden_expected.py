"""Written by ``python -m tests.unit.memory.extractive.golden``; see there."""

# fmt: off
# ruff: noqa: E501
EXPECTED: dict[str, dict[str, list[str]]] = {'greenhouse': {'first fold': ['m0: User: We want to build a greenhouse. The budget is 3400 '
                               'euros.',
                               'm1: Assistant: That sounds lovely! Which size do you have in '
                               'mind?',
                               'm2: User: About 12 square metres. My wife Ines is allergic to '
                               'tomatoes, so never suggest them.',
                               'm3: Assistant: Understood. You will need: a base of concrete; 8 '
                               'panels of glass; a vent'],
                'second fold': ['m0: User: We want to build a greenhouse.',
                                'm2: User: About 12 square metres. My wife Ines is allergic to '
                                'tomatoes, so never suggest them.',
                                'm3: Assistant: Understood. You will need: a base of concrete; 8 '
                                'panels of glass; a vent',
                                'm4: User: I ordered the glass from Nordglas in Kiel yesterday '
                                '(7 May 2023), order 48213.',
                                'm6: User: Small change: the budget is 5100 euros now.'],
                'cut to a third': ['m0: User: We want to build a greenhouse.',
                                   'm4: User: I ordered the glass from Nordglas in Kiel '
                                   'yesterday (7 May 2023), order 48213.'],
                'put back': ['m4: User: I ordered the glass from Nordglas in Kiel yesterday (7 '
                             'May 2023), order 48213.',
                             'm6: User: Small change: the budget is 5100 euros now.'],
                'How large is the budget?': ['m0: [8 May 2023] User: The budget is 3400 euros.',
                                             'm6: [8 May 2023] User: Small change: the budget is '
                                             '5100 euros now.'],
                'What about Ines?': ['m2: [8 May 2023] User: About 12 square metres. My wife '
                                     'Ines is allergic to tomatoes, so never suggest them.'],
                'When was the glass ordered?': ['m4: [8 May 2023] User: I ordered the glass from '
                                                'Nordglas in Kiel yesterday (7 May 2023), order '
                                                '48213.']},
 'code': {'first fold': ['m0: User: My script fails. import csv; rows = '
                         'list(csv.reader(open(path)))',
                         'm1: Assistant: The header row is read as a number. Skip it with '
                         '`next(reader)` before the sum.',
                         'm2: User: It works! But we decided to use PostgreSQL instead of files, '
                         'on db.example.org:5433.',
                         'm3: Assistant: Then read with psycopg. Is the password in the '
                         'environment?'],
          'second fold': ['m1: Assistant: The header row is read as a number. Skip it with '
                          '`next(reader)` before the sum.',
                          'm2: User: But we decided to use PostgreSQL instead of files, on '
                          'db.example.org:5433.',
                          'm3: Assistant: Then read with psycopg.',
                          'm4: User: Yes, it is in PG_PASSWORD. The table is called night_shifts '
                          'and has 90,000 rows.',
                          'm5: Assistant: I would index night_shifts on worker_id'],
          'cut to a third': ['m2: User: But we decided to use PostgreSQL instead of files, on '
                             'db.example.org:5433.',
                             'm5: Assistant: I would index night_shifts on worker_id'],
          'put back': ['m2: User: But we decided to use PostgreSQL instead of files, on '
                       'db.example.org:5433.',
                       'm4: User: The table is called night_shifts and has 90,000 rows.'],
          'Where does the database run?': ['m2: [8 May 2023] User: It works! But we decided to '
                                           'use PostgreSQL instead of files, on '
                                           'db.example.org:5433.'],
          'How many rows has night_shifts?': ['m5: [8 May 2023] Assistant: I would index '
                                              'night_shifts on worker_id',
                                              'm4: [8 May 2023] User: The table is called '
                                              'night_shifts and has 90,000 rows.']},
 'česky': {'first fold': ['m0: User: jmenuji se Bořek a pěstuji šedesát švestek u Jihlavy.',
                          'm1: Assistant: To zní krásně! Co s nimi děláš?',
                          'm2: User: Včera (7 May 2023) jsme se dohodli, že z nich bude povidla '
                          'vařit moje sestra Alena z Telče.',
                          'm3: Assistant: Kolik cukru do nich dáváte?'],
           'second fold': ['m0: User: jmenuji se Bořek a pěstuji šedesát švestek u Jihlavy.',
                           'm2: User: Včera (7 May 2023) jsme se dohodli, že z nich bude povidla '
                           'vařit moje sestra Alena z Telče.',
                           'm4: User: Žádný cukr, nikdy. Alena potřebuje 14 sklenic do pátku '
                           '12.5.'],
           'cut to a third': ['m4: User: Žádný cukr, nikdy. Alena potřebuje 14 sklenic do pátku '
                              '12.5.'],
           'put back': ['m2: User: Včera (7 May 2023) jsme se dohodli, že z nich bude povidla '
                        'vařit moje sestra Alena z Telče.',
                        'm4: User: Alena potřebuje 14 sklenic do pátku 12.5.'],
           'Kolik sklenic potřebuje Alena?': ['m4: [8 May 2023] User: Žádný cukr, nikdy. Alena '
                                              'potřebuje 14 sklenic do pátku 12.5.'],
           'Kde pěstuje švestky?': ['m1: [8 May 2023] Assistant: To zní krásně! Co s nimi děláš?',
                                    'm0: [8 May 2023] User: jmenuji se Bořek a pěstuji šedesát '
                                    'švestek u Jihlavy.']},
 '日本語': {'first fold': ['m0: User: 会議の場所は図書館の22号室です。',
                        'm1: Assistant: わかりました。 何時に始まりますか？',
                        'm2: User: 15時からです。 田中さんは来られません。',
                        'm3: Assistant: では資料を送ります。'],
         'second fold': ['m0: User: 会議の場所は図書館の22号室です。',
                         'm1: Assistant: 何時に始まりますか？',
                         'm2: User: 15時からです。 田中さんは来られません。',
                         'm3: Assistant: では資料を送ります。',
                         'm4: User: 会議の場所は本館の7号室に変更しました。'],
         'cut to a third': ['m0: User: 会議の場所は図書館の22号室です。', 'm4: User: 会議の場所は本館の7号室に変更しました。'],
         'put back': ['m2: User: 15時からです。',
                      'm4: User: 会議の場所は本館の7号室に変更しました。',
                      'm5: Assistant: 7号室ですね。'],
         '会議の場所はどこですか？': ['m3: [8 May 2023] Assistant: では資料を送ります。',
                          'm0: [8 May 2023] User: 会議の場所は図書館の22号室です。',
                          'm4: [8 May 2023] User: 会議の場所は本館の7号室に変更しました。'],
         '何時に始まりますか？': ['m0: [8 May 2023] User: 会議の場所は図書館の22号室です。',
                        'm1: [8 May 2023] Assistant: わかりました。 何時に始まりますか？',
                        'm2: [8 May 2023] User: 15時からです。 田中さんは来られません。']}}
