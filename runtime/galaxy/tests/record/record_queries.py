#!/usr/bin/env python3
"""Records what SQLAlchemy answers on SQLite: python record_queries.py (needs Galaxy installed).

Each line of QUERIES is an expression over `session`, `Job` and SQLAlchemy's names; its answer is its repr, or the class and text of the exception. The job table is JOBS. Queries without an order
are sorted here: SQLite then gives the order of the index that it happened to use. Writes ../recorded/queries.json.
"""
import json
import pathlib
import tempfile

from galaxy.model import Job, User
from galaxy.model import mapping
from sqlalchemy import and_, asc, desc, distinct, func, not_, or_, select, text
from sqlalchemy.sql.elements import TextClause

TOOLS = ["fastp", "bwa_mem", "HISAT2", "upload1", None]
STATES = ["queued", "running", "new", "ok", "error"]
DESTINATIONS = ["slurm", "pulsar-a", "pulsar-b", None]
JOBS = [
    {"tool_id": TOOLS[i * 7 % 5], "user_id": [1, 2, 3, None, 12][i * 3 % 5], "state": STATES[i * i % 5 if i % 3 else 0],
     "destination_id": DESTINATIONS[i * 5 % 4 if i % 2 else i % 3]}
    for i in range(40)
] + [{"tool_id": "10%_x", "user_id": 5}]

QUERIES = r"""
session.query(Job).count()
session.query(Job.id).order_by(Job.id).all()
session.query(Job.state, Job.id).order_by(Job.id).limit(5).all()
sorted(session.query(Job.state).distinct().all())
session.query(Job.state, Job.destination_id).distinct().order_by(Job.state, Job.destination_id).all()
session.query(Job.id).filter(Job.state == 'queued').order_by(Job.id).all()
session.query(Job.id).filter(Job.state != 'queued', Job.user_id == 1).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id > 2).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id >= 2).filter(Job.user_id < 12).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id <= '3').order_by(Job.id).all()
session.query(Job.id).filter(2 < Job.user_id).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id == None).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id != None).count()
session.query(Job.id).filter(Job.user_id.is_(None)).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id.isnot(None)).count()
session.query(Job.id).filter(Job.user_id.is_not(None)).count()
session.query(Job.id).filter(Job.destination_id != 'slurm').order_by(Job.id).all()
session.query(Job.id).filter(not_(Job.destination_id == 'slurm')).order_by(Job.id).all()
session.query(Job.id).filter(~(Job.destination_id == 'slurm')).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.in_(['queued', 'running'])).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.in_(('queued',))).count()
session.query(Job.id).filter(Job.state.in_([])).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.not_in([])).count()
session.query(Job.id).filter(Job.destination_id.in_(['slurm', None])).order_by(Job.id).all()
session.query(Job.id).filter(Job.destination_id.not_in(['slurm'])).order_by(Job.id).all()
session.query(Job.id).filter(~Job.destination_id.in_(['slurm'])).order_by(Job.id).all()
session.query(Job.id).filter(Job.destination_id.notin_(['slurm', None])).order_by(Job.id).all()
session.query(Job.id).filter(Job.user_id.in_([1, 3])).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.like('%a%')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.like('hisat_')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.like('FAST%')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.ilike('%T2')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.notlike('%a%')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.not_like('%a%')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.like('10\\%%')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.startswith('fas')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.endswith('1')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.contains('mem')).order_by(Job.id).all()
session.query(Job.id).filter(and_(Job.state == 'queued', Job.destination_id == 'slurm')).order_by(Job.id).all()
session.query(Job.id).filter(or_(Job.state == 'error', Job.user_id == 3)).order_by(Job.id).all()
session.query(Job.id).filter((Job.state == 'error') | (Job.user_id == 3)).order_by(Job.id).all()
session.query(Job.id).filter((Job.state == 'queued') & (Job.user_id == 3)).order_by(Job.id).all()
session.query(Job.id).filter(or_(Job.destination_id == 'slurm', Job.user_id == None)).order_by(Job.id).all()
session.query(Job.id).filter(not_(or_(Job.destination_id == 'slurm', Job.user_id == 1))).order_by(Job.id).all()
session.query(Job.id).filter(not_(and_(Job.destination_id == 'slurm', Job.user_id == 1))).count()
session.query(Job.id).where(Job.state == 'ok').order_by(Job.id).all()
session.query(Job.id).filter_by(state='queued', user_id=1).order_by(Job.id).all()
session.query(Job.id).filter_by(destination_id=None).order_by(Job.id).all()
session.query(Job).filter_by(state='running').count()
session.query(func.count(Job.id)).scalar()
session.query(func.count()).select_from(Job).scalar()
session.query(func.count(Job.user_id)).scalar()
session.query(func.count(Job.user_id.distinct())).scalar()
session.query(func.count(distinct(Job.user_id))).scalar()
session.query(func.max(Job.user_id), func.min(Job.user_id)).one()
session.query(func.max(Job.tool_id)).scalar()
session.query(func.min(Job.tool_id)).scalar()
session.query(func.count(Job.id)).filter(Job.state == 'nothing').scalar()
session.query(Job.state, func.count(Job.id)).group_by(Job.state).all()
session.query(Job.destination_id, func.count(Job.id)).group_by(Job.destination_id).all()
dict(session.query(Job.destination_id, func.count(Job.id)).filter(Job.state.in_(['queued', 'running'])).group_by(Job.destination_id).all())
session.query(Job.destination_id, Job.state, func.count(Job.id)).group_by(Job.destination_id, Job.state).all()
session.query(Job.destination_id, func.count(Job.id).label('n')).group_by(Job.destination_id).order_by(func.count(Job.id).desc(), Job.destination_id).all()
session.query(Job.state, func.max(Job.id)).group_by(Job.state).order_by(desc(func.max(Job.id))).all()
[(row.state, row.n) for row in session.query(Job.state, func.count(Job.id).label('n')).group_by(Job.state)]
[row[0] for row in session.query(Job.state).order_by(Job.id.desc()).limit(3)]
[row.count_1 for row in session.query(func.count(Job.id))]
session.query(Job.user_id).order_by(Job.user_id, Job.id).limit(12).all()
session.query(Job.user_id, Job.id).order_by(Job.user_id.desc(), Job.id.asc()).limit(7).all()
session.query(Job.id).order_by(desc(Job.state), asc(Job.id)).all()
session.query(Job.id).limit(0).all()
session.query(Job.id).filter(Job.id == 7).one()
session.query(Job.id).filter(Job.id == 700).one()
session.query(Job.id).filter(Job.id < 3).one()
session.query(Job.id).filter(Job.id == 7).one_or_none()
session.query(Job.id).filter(Job.id == 700).one_or_none()
session.query(Job.id).filter(Job.id < 3).one_or_none()
session.query(Job.id).filter(Job.id == 700).scalar()
session.query(Job.id).filter(Job.id < 3).scalar()
session.query(Job.id, Job.state).filter(Job.id == 7).scalar()
session.query(Job.id).order_by(Job.id).first()
session.query(Job.id).filter(Job.id == 700).first()
session.query(Job).filter(Job.id == 3).one().state
session.query(Job).filter(Job.id == 700).first()
[(job.id, job.tool_id, job.user_id) for job in session.query(Job).filter(Job.state == 'running').order_by(Job.id.desc())]
session.query(Job).filter(Job.id == 3).first() == session.query(Job).filter(Job.id == 3).first()
session.query(Job, Job.id).filter(Job.id == 3).one()[1]
session.query(Job.id).distinct().count()
session.query(Job.state).distinct().count()
session.query(Job.state).filter(Job.user_id == 1).distinct().order_by(Job.state.desc()).all()
len(session.query(Job.id).all())
session.query(Job.id, Job.state).first()._fields
session.query(Job.id, Job.state).order_by(Job.id).first() == (1, 'queued')
sorted(session.query(Job.user_id, Job.id).filter(Job.user_id != None), reverse=True)[:3]
min(session.query(func.count(Job.id), Job.state).group_by(Job.state))
bool(Job.id != 1)
bool(Job.id < 1)
bool(Job.id == 1)
session.execute(select(Job.id).where(Job.state == 'queued')).first()
session.execute(select(func.count(Job.id)).where(Job.state == 'queued')).scalar()
session.execute(text('SELECT count(*)  FROM job'))
session.execute(text("select 'no such query'"))
session.execute('select count(*) from job\n where state = 1')
session.execute('select count(*)')
session.execute(text('SELECT count(*) FROM job'), {})
session.scalars(select(Job.id).where(Job.user_id == 3).order_by(Job.id.desc())).all()
session.scalars(select(Job.id).where(Job.state == 'queued').order_by(Job.id)).fetchall()
session.scalars(select(Job).where(Job.id == 5)).one().id
session.scalars(select(Job.id).where(Job.id == 2)).one()
session.scalars(select(Job.id).where(Job.id == 200)).one_or_none()
session.scalars(select(Job.id).where(Job.id == 200)).one()
session.scalars(select(Job.id).where(Job.id < 3)).one()
session.scalars(select(Job.id).where(Job.id == 200)).first()
session.scalars(select(Job.state).order_by(Job.id)).unique().first()
[state for state in session.scalars(select(Job.state).order_by(Job.id).limit(4))]
session.scalars(select(Job.id).filter_by(state='error').order_by(Job.id)).all()
session.scalars(select(Job.state).distinct().order_by(Job.state)).all()
session.scalars(select(Job.state, func.count()).group_by(Job.state)).all()
session.scalar(select(func.count()).select_from(Job))
session.scalar(select(func.count(Job.id)).where(Job.state == 'queued'))
session.scalar(select(Job.id).where(Job.id == 200))
session.scalar(select(Job).where(Job.id == 4)).id
session.query(t['state']).distinct().count()
t['colour']
t.colour
Job.colour
Job.table.name
Job.table.columns.state.name
session.query(t.state, func.count()).group_by(Job.state).all()
session.query(t.destination_id, t.state, func.count()).filter(t.destination_id.in_(d for d in ['slurm', 'pulsar-a']), t.state.in_([Job.states.QUEUED, Job.states.RUNNING])).group_by(Job.destination_id, Job.state).all()
dict((d, c) for d, s, c in session.query(t.destination_id, t.state, func.count(t.id)).filter(t.state == Job.states.QUEUED).group_by(t.destination_id, t.state).all())
session.query(t.id).filter(t.state == 'queued').order_by(t.id).all()
session.query(Job.id).filter(Job.state == Job.states.QUEUED).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.in_([Job.states.QUEUED, 'running'])).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.in_([state.value for state in Job.terminal_states])).order_by(Job.id).all()
session.query(Job.id).filter(Job.state.notin_(Job.non_ready_states)).order_by(Job.id).all()
Job.states.QUEUED
str(Job.states.QUEUED)
f'{Job.states.RUNNING} {Job.states.RUNNING.value} {Job.states.RUNNING.name}'
Job.states.QUEUED == 'queued'
'ok' in [Job.states.OK]
{'queued': 1}[Job.states.QUEUED]
Job.states('stop')
Job.states['DELETED_NEW']
Job.states('nothing')
[state.value for state in Job.states]
Job.terminal_states
Job.finished_states
Job.non_ready_states
Job.states.QUEUED in Job.terminal_states
session.query(Job).filter(Job.id == 3).one().state in Job.non_ready_states
session.query(Job).filter(Job.id == 3).one().states.OK
select(Job.colour)
session.execute(select(Job.id).where(Job.state == 'queued').order_by(Job.id)).all()
session.execute(select(Job.id, Job.state).order_by(Job.id).limit(2)).fetchall()
session.execute(select(Job.id, Job.state).order_by(Job.id)).first()
session.execute(select(Job.id).where(Job.id == 200)).first()
session.execute(select(Job.id, Job.state).where(Job.id == 2)).one()
session.execute(select(Job.id).where(Job.id < 4)).one()
session.execute(select(Job.id).where(Job.id == 200)).one()
session.execute(select(Job.id).where(Job.id == 200)).one_or_none()
session.execute(select(Job.id).where(Job.id < 4)).one_or_none()
session.execute(select(func.count(Job.id))).scalar_one()
session.execute(select(Job.id).where(Job.id == 200)).scalar_one()
session.execute(select(Job.id).where(Job.id < 3)).scalar_one()
session.execute(select(Job.id).where(Job.id == 200)).scalar_one_or_none()
session.execute(select(Job.id).where(Job.id == 200)).scalar()
session.execute(select(Job.id).order_by(Job.id)).scalar()
session.execute(select(Job.id).order_by(Job.id).limit(4)).scalars().all()
session.execute(select(Job).order_by(Job.id).limit(2)).scalars().all()[1].state
session.execute(select(Job).order_by(Job.id)).first()[0].id
session.execute(select(Job.id, Job.state).order_by(Job.id).limit(2)).mappings().all()
session.execute(select(Job.id, Job.state).order_by(Job.id)).mappings().first()
session.execute(select(Job.id, Job.state).order_by(Job.id)).mappings().first()['state']
[dict(row) for row in session.execute(select(Job.id, Job.state.label('s')).order_by(Job.id).limit(2)).mappings()]
[row['n'] for row in session.execute(select(Job.state, func.count().label('n')).group_by(Job.state)).mappings()]
[list(row._mapping.items()) for row in session.execute(select(Job.id, Job.state).order_by(Job.id).limit(2))]
[dict(row._mapping) for row in session.execute(select(Job.state, func.count(Job.id)).group_by(Job.state))]
[row._asdict() for row in session.execute(select(Job.state, func.count(Job.id).label('n')).group_by(Job.state).limit(2))]
[row._asdict() for row in session.query(Job.id, Job.user_id).order_by(Job.id).limit(2)]
dict(session.query(Job.id, Job.user_id).order_by(Job.id).first()._mapping)
session.query(Job.id, Job.user_id).order_by(Job.id).first()._mapping['colour']
session.query(Job.id, Job.user_id).order_by(Job.id).first().colour
session.query(Job.id, Job.user_id).order_by(Job.id).first()['id']
session.query(Job.id, Job.user_id).order_by(Job.id).first()[5]
session.query(Job.id, Job.user_id).order_by(Job.id).first()[-1]
session.query(Job.id, Job.user_id).order_by(Job.id).first()[:1]
session.query(Job.id, Job.user_id).order_by(Job.id).first()._tuple()
len(session.query(Job.id, Job.user_id).first())
session.query(Job.id, Job.state).order_by(Job.id).first().index('queued')
'queued' in session.query(Job.id, Job.state).order_by(Job.id).first()
isinstance(session.query(Job.id).first(), tuple)
tuple(session.query(Job.id, Job.state).order_by(Job.id).first())
[state for state, in session.query(Job.state).order_by(Job.id).limit(3)]
[count for state, count in session.execute(select(Job.state, func.count()).group_by(Job.state))]
session.execute(select(Job.state, func.count()).group_by(Job.state)).all()[0].count
session.execute(select(Job.id, func.count()).group_by(Job.id).order_by(Job.id)).first()._fields
session.execute(select(Job.id).order_by(Job.id).limit(3)).unique().all()
session.execute(select(Job.table.c.state, func.count()).group_by(Job.table.c.state)).all()
session.execute(select(t.id).where(t.id == 3)).scalar()
session.execute(select(func.count()).select_from(Job.table)).scalar()
session.execute(select(func.count()).select_from(Job).where(Job.user_id == 1, Job.state != 'ok')).scalar()
session.execute(select(Job.id).filter(Job.id.in_([3, 4])).filter_by(id=4)).scalars().all()
session.execute(select([Job.id]))
session.execute(select(Job.id), {}).first() is not None
session.execute(text('SELECT count(*) FROM job'), {'state': 'queued'})
session.execute(text('SELECT count(*) FROM job where state = :state').bindparams(state='queued'), {'x': 1})
session.execute(statement=text('SELECT count(*) FROM job'))
session.execute()
session.scalars(select(Job.id, Job.state).order_by(Job.id).limit(2)).all()
session.query(Job.id).filter(Job.tool_id.regexp_match('^(fastp|bwa)')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.regexp_match('HISAT')).order_by(Job.id).all()
session.query(Job.id).filter(Job.tool_id.regexp_match('hisat')).order_by(Job.id).all()
session.query(Job.id).filter(~Job.tool_id.regexp_match('[a-z]+_')).order_by(Job.id).all()
session.query(Job.id).filter(not_(Job.tool_id.regexp_match('a.*p'))).count()
session.query(Job.id).filter(t.destination_id.regexp_match(r'pulsar-[ab]$'), t.state.regexp_match('queued|running')).order_by(t.id).all()
session.query(func.count(func.distinct(Job.user_id))).scalar()
session.query(Job.id).filter(and_(*[Job.id > 3, Job.id < 6])).order_by(Job.id).all()
session.query(Job.id).filter(Job.handler == None).count()
session.query(Job.handler, Job.job_runner_name, Job.history_id, Job.tool_version, Job.imported, Job.exit_code).first()
session.query(Job.id).filter(Job.handler == 'main').all()
session.query(Job.id).filter(Job.job_runner_name.in_(['slurm'])).count()
session.query(Job.handler, func.count()).group_by(Job.handler).all()
session.query(Job.tool_version, func.count()).group_by(Job.tool_version).all()
session.query(Job.id).filter(Job.imported == False).count()
session.query(Job.id).filter(Job.imported.is_(True)).count()
session.query(func.max(Job.exit_code)).scalar()
session.query(Job).filter(Job.id == 3).one().handler
session.query(Job).filter(Job.id == 3).one().tool_version
session.query(Job.id).filter_by(colour='blue')
session.query(Job.id).filter(Job.state.in_('queued')).all()
session.commit()
session.flush()
session.rollback()
session.close()
session.execute(select(Job.id).order_by(Job.id).limit(1).distinct()).all()
session.query(Job.state.label('s')).filter(Job.id == 3).one().s
session.query(Job.state, func.count(Job.id).label('total')).group_by('state').order_by('state').all()
session.query(Job.state, func.count(Job.id).label('total')).group_by(Job.state).order_by(desc('total'), 'state').all()
session.query(Job.user_id, func.count()).filter(Job.user_id.isnot(None)).group_by(Job.user_id).order_by(func.count().desc(), Job.user_id).limit(2).all()
session.query(Job.state).filter(Job.user_id == 1).group_by(Job.state).count()
session.query(func.count(Job.id)).filter(Job.state == 'queued').scalar() > 3
""".strip().split("\n")

# What only a database, or another table, could answer: tpvc raises `HostUnavailable`.
UNAVAILABLE = r"""
session.query(Job.create_time).all()
session.query(Job.id).filter(Job.create_time > 5).count()
session.query(Job.id).filter(Job.id == 3, Job.update_time != None).all()
session.query(Job.id).order_by(Job.update_time.desc()).first()
session.query(func.max(t.create_time)).scalar()
session.query(func.now()).scalar()
session.query(Job).filter(Job.id == 3).one().create_time
session.query(Job).filter(Job.id == 3).one().user
session.query(Job).filter(Job.id == 3).one().get_param_values(None)
session.query(User).count()
session.query(User.email).all()
session.query(Job.id).join(User).count()
session.query(Job.id).join(User, Job.user_id == User.id).filter(User.email == 'a@b.c').count()
session.execute(select(func.count(Job.id)).join_from(Job, User)).scalar()
session.scalar(text('SELECT count(*) FROM job'))
session.query(Job.id).filter(func.date(Job.create_time) == 1).all()
session.query(Job.id).filter(text("state = 'queued'")).all()
session.query(Job).filter(Job.id == 3).delete()
session.query(Job).update({'state': 'ok'})
session.query(Job.id).subquery()
select(Job.id).subquery()
session.execute(Job.table.select().where(t.id == 3)).first().tool_id
session.execute(select(Job.table).where(t.id == 3)).first().destination_id
session.query(Job.id).filter(Job.state == 'queued').exists()
session.query(Job.state).order_by(text('state desc')).all()
session.query(Job.id).filter(Job.tool_id.op('~')('a'))
session.query(Job.id).filter(Job.id.between(3, 6))
session.query(Job.id).filter(Job.id + Job.user_id > 44)
session.query(Job.id).filter(Job.id.in_(select(Job.id).where(Job.user_id == 3)))
session.query(Job.id).filter(Job.user_id == 2.0)
session.query(Job.id).filter(Job.user_id < '2.5').all()
session.query(Job.id).filter(Job.tool_id.like('10!%%', escape='!'))
session.query(Job.state, func.count(Job.id)).group_by(Job.state).having(func.count(Job.id) > 8)
session.query(Job.id).order_by(Job.id).offset(38)
session.query(Job.id).order_by(Job.id)[2]
session.query(Job.id).yield_per(10)
session.query(func.sum(Job.user_id)).scalar()
session.query(func.coalesce(Job.destination_id, 'none'))
session.execute(select(Job.id)).fetchmany(2)
session.execute(select(Job.id)).scalars('id')
session.scalars(select(Job.id)).scalar()
session.query(Job).filter(Job.id == 3).one().colour
[column.name for column in t]
'state' in t
""".strip().split("\n")

# The world's list of texts and rows: what `execute` answers, and nothing else.
TEXTS = [
    {"sql": "SELECT count(*) FROM job", "rows": [[41], ["x"]]},
    {"sql": "select count(*) from job where state = 1", "rows": []},
    {"sql": "SELECT count(*) FROM job where state = :state", "rows": [[7]]},
    {"sql": "SELECT count(*) FROM job where state IN (__[POSTCOMPILE_states])", "rows": [[8]]},
]


class HostUnavailable(Exception):
    pass


class Session:
    """SQLAlchemy's session over the world's job table; `execute` is answered from the world's list."""

    def __init__(self, session):
        self._session = session
        self._answers = {" ".join(query["sql"].split()): [tuple(row) for row in query["rows"]] for query in TEXTS}

    def execute(self, statement, *args, **kwargs):
        if not isinstance(statement, (str, TextClause)):
            return self._session.execute(statement, *args, **kwargs)
        rows = self._answers.get(" ".join(str(statement).split()))
        if rows is None:
            raise HostUnavailable("no answer to this query in the world")
        return rows

    def __getattr__(self, name):
        return getattr(self._session, name)


def main():
    session = mapping.init(tempfile.gettempdir(), "sqlite:///:memory:", create_tables=True).context
    for row in JOBS:
        job = Job()
        for key, value in row.items():
            setattr(job, key, value)
        session.add(job)
    session.commit()
    session = Session(session)
    functions = [and_, asc, desc, distinct, not_, or_, select, text]
    names = dict(session=session, Job=Job, User=User, t=Job.table.c, func=func)
    names.update((function.__name__, function) for function in functions)
    answers = []
    for query in QUERIES:
        try:
            answers.append({"query": query, "value": repr(eval(query, names))})
        except Exception as error:
            # A text with an address is another in each run.
            message = None if " at 0x" in str(error) else str(error)
            answers.append({"query": query, "error": type(error).__name__, "message": message})
    target = pathlib.Path(__file__).parent.parent / "recorded" / "queries.json"
    target.write_text(json.dumps({"jobs": JOBS, "queries": TEXTS, "answers": answers, "unavailable": UNAVAILABLE}, indent=0) + "\n")
    print(len(answers), sum("error" in answer for answer in answers))


if __name__ == "__main__":
    main()
