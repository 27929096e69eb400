import re,sys
t=open(sys.argv[1]).read(); isold=sys.argv[1]=='old.sql'
if isold:
    ren=[(r'\brate_limits\b','request_windows'),(r'\brate_limits_pkey\b','request_windows_pkey'),(r'\bhits\b','request_count'),(r'\bwebhook_rates\b','webhook_rate_limits'),(r'\bwebhook_rates_pkey\b','webhook_rate_limits_pkey'),
     (r'\btaken_at\b','claimed_at'),(r'\bopener_id\b','creator_id'),(r'\bexternal_id\b','platform_event_id'),(r'\banswer\b','response_body'),(r'\bcrash_count\b','expired_lease_count'),(r'\bposition uuid','last_examined_id uuid'),(r'\bmask boolean','mask_phone_numbers boolean'),
     (r'\bwebhooks_pause_untold_idx\b','webhooks_unnotified_pause_idx')]
    for a,b in ren: t=re.sub(a,b,t)
stm=[s.strip() for s in re.split(r';\n(?=\n|$)|;\n\n', t)]
out=[]
for s in stm:
    s='\n'.join(l for l in s.split('\n') if not l.startswith('--') and l.strip() and not l.startswith('\\'))
    if not s: continue
    m=re.match(r'(CREATE (?:UNLOGGED )?TABLE [\w.]+ \(\n)(.*)(\n\).*)',s,re.S)
    if m:
        cols=sorted(l.strip().rstrip(',') for l in m.group(2).split('\n'))
        for c in cols: out.append(m.group(1).strip()+' '+c)
        out.append(m.group(1).strip()+' END '+m.group(3).strip())
    else: out.append(re.sub(r'\s+',' ',s))
# names of partition indexes
out=[re.sub(r'(ATTACH PARTITION public\.)\w+','\\1X',o) if 'INDEX' in o else o for o in out]
out=[re.sub(r'CREATE (UNIQUE )?INDEX \w+ ON public\.(\w+_first)',r'CREATE \1INDEX X ON public.\2',o) for o in out]
out=[re.sub(r'ADD CONSTRAINT \w+_first_pkey','ADD CONSTRAINT X',o) for o in out]
print('\n'.join(sorted(out)))
