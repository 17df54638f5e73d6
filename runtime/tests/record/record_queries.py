#!/usr/bin/env python3
"""Records what SQLAlchemy answers on SQLite: python record_queries.py (needs Galaxy installed).

Each line of QUERIES is an expression over `session`, `Job` and SQLAlchemy's names; its answer is its repr, or the class and text of the exception. The job table is JOBS. Queries without an order
are sorted here: SQLite then gives the order of the index that it happened to use. Writes ../recorded/queries.json.
"""
import json
import pathlib
import tempfile

from galaxy.model import Job
from galaxy.model import mapping
from sqlalchemy import and_, asc, desc, distinct, func, not_, or_, select, text

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
session.query(Job.id).filter(Job.user_id == 2.0).order_by(Job.id).all()
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
session.query(Job.id).filter(Job.id.between(3, 6)).order_by(Job.id).all()
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
session.query(func.max(Job.user_id), func.min(Job.user_id), func.sum(Job.user_id)).one()
session.query(func.avg(Job.user_id)).scalar()
session.query(func.sum(Job.user_id)).filter(Job.id > 1000).scalar()
session.query(func.max(Job.tool_id)).scalar()
session.query(func.min(Job.tool_id)).scalar()
session.query(func.count(Job.id)).filter(Job.state == 'nothing').scalar()
session.query(Job.state, func.count(Job.id)).group_by(Job.state).all()
session.query(Job.destination_id, func.count(Job.id)).group_by(Job.destination_id).all()
dict(session.query(Job.destination_id, func.count(Job.id)).filter(Job.state.in_(['queued', 'running'])).group_by(Job.destination_id).all())
session.query(Job.destination_id, Job.state, func.count(Job.id)).group_by(Job.destination_id, Job.state).all()
session.query(Job.destination_id, func.count(Job.id).label('n')).group_by(Job.destination_id).order_by(func.count(Job.id).desc(), Job.destination_id).all()
session.query(Job.state, func.max(Job.id)).group_by(Job.state).order_by(desc(func.max(Job.id))).all()
session.query(Job.state, func.count(Job.id)).group_by(Job.state).having(func.count(Job.id) > 8).all()
[(row.state, row.n) for row in session.query(Job.state, func.count(Job.id).label('n')).group_by(Job.state)]
[row[0] for row in session.query(Job.state).order_by(Job.id.desc()).limit(3)]
[row.count_1 for row in session.query(func.count(Job.id))]
session.query(Job.user_id).order_by(Job.user_id, Job.id).limit(12).all()
session.query(Job.user_id, Job.id).order_by(Job.user_id.desc(), Job.id.asc()).limit(7).all()
session.query(Job.id).order_by(desc(Job.state), asc(Job.id)).all()
session.query(Job.id).order_by(Job.id).limit(3).offset(4).all()
session.query(Job.id).order_by(Job.id).offset(38).all()
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
session.execute(select(Job.id).where(Job.state == 'queued'))
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
session.scalars(select(Job.id)).scalar()
session.scalars(select(Job.id)).scalar_one()
[state for state in session.scalars(select(Job.state).order_by(Job.id).limit(4))]
session.scalars(select(Job.id).filter_by(state='error').order_by(Job.id)).all()
session.scalars(select(Job.state).distinct().order_by(Job.state)).all()
session.scalars(select(Job.state, func.count()).group_by(Job.state)).all()
session.scalar(select(func.count()).select_from(Job))
session.scalar(select(func.count(Job.id)).where(Job.state == 'queued'))
session.scalar(select(Job.id).where(Job.id == 200))
session.scalar(select(Job).where(Job.id == 4)).id
""".strip().split("\n")

# The world's list of texts and rows: what `execute` answers, and nothing else.
TEXTS = [{"sql": "SELECT count(*) FROM job", "rows": [[41], ["x"]]}, {"sql": "select count(*) from job where state = 1", "rows": []}]


class HostUnavailable(Exception):
    pass


class Session:
    """SQLAlchemy's session over the world's job table; `execute` is answered from the world's list."""

    def __init__(self, session):
        self._session = session
        self._answers = {" ".join(query["sql"].split()): [tuple(row) for row in query["rows"]] for query in TEXTS}

    def execute(self, statement):
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
    names = dict(session=session, Job=Job, and_=and_, asc=asc, desc=desc, distinct=distinct, func=func, not_=not_, or_=or_, select=select, text=text)
    answers = []
    for query in QUERIES:
        try:
            answers.append({"query": query, "value": repr(eval(query, names))})
        except Exception as error:
            answers.append({"query": query, "error": type(error).__name__, "message": str(error)})
    target = pathlib.Path(__file__).parent.parent / "recorded" / "queries.json"
    target.write_text(json.dumps({"jobs": JOBS, "queries": TEXTS, "answers": answers}, indent=0) + "\n")
    print(len(answers), sum("error" in answer for answer in answers))


if __name__ == "__main__":
    main()
